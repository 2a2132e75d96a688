/**
 * Stores which receivers already have a message if a sink has several, so that those do not get it
 * again when its alerts are sent again.
 */
import type { ExpressionBuilder } from "kysely";
import type { Tables } from "../db/tables.ts";
import { SENT } from "../db/literals.ts";
import { listStatement } from "../db/statement.ts";

/** Stores for messages which receivers have them. */
export const keepTaken = listStatement<{ taken: string }, string>()((on, list, slot) =>
  on
    .updateTable("messages")
    .set({ taken: slot("taken") })
    .where("id", "in", list),
);

/** Selects the message of the delivery that a delivery joined. */
const messageOfJoined = (eb: ExpressionBuilder<Tables, "deliveries">) =>
  eb
    .selectFrom("deliveries as first")
    .select("first.message_id")
    .whereRef("first.id", "=", "deliveries.joined_id");

/**
 * Selects the receivers that have the message of a delivery if other receivers lack it; null if all
 * or none have it. The `error` of a sent message names the receivers that lack it.
 */
export const takenOfMessage = (eb: ExpressionBuilder<Tables, "deliveries">) =>
  eb
    .selectFrom("messages as whole")
    .select("whole.taken")
    .where("whole.id", "=", (m) => m.fn.coalesce("deliveries.message_id", messageOfJoined(m)))
    .where((m) => m.or([m("whole.state", "!=", SENT), m("whole.error", "!=", "")]));
