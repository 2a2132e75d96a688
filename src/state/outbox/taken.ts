/**
 * Stores which of several receivers have a message, so that they do not get it again when its
 * alerts are sent again.
 */
import type { ExpressionBuilder } from "kysely";
import type { Tables } from "../db/tables.ts";
import { listStatement } from "../db/statement.ts";

/** Stores with messages which receivers have them. */
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
 * Returns the receivers that have a message that others lack. Returns null if all or none of them
 * have it. The error of a sent message names the others.
 */
export const takenOfMessage = (eb: ExpressionBuilder<Tables, "deliveries">) =>
  eb
    .selectFrom("messages as whole")
    .select("whole.taken")
    .where("whole.id", "=", (m) => m.fn.coalesce("deliveries.message_id", messageOfJoined(m)))
    .where((m) => m.or([m("whole.state", "!=", "sent"), m("whole.error", "!=", "")]));
