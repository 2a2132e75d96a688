/**
 * Makes the duplicates of an alert part of its message after the message was given up. The
 * duplicates reached nobody either, so they are counted, listed and sent again with the message.
 */
import { DUPLICATE } from "../db/literals.ts";
import { sql } from "kysely";
import { type Executor, listStatement } from "../db/statement.ts";

/**
 * The texts that `explain` shows for a duplicate, and for an alert that shares the message of
 * another alert.
 */
export const DELIVERED_ALREADY = "delivered already";
/** The text for an alert of another watch about the same fact, whose watch the message names. */
export const NAMED_WITH_ANOTHER = "delivered together with another watch";
const DELIVERED_TOGETHER = "delivered together with another alert";

/**
 * Turns the duplicates of the alerts in these messages into merged deliveries. A duplicate that was
 * created before an operator sent its alert again stays a duplicate, because by then the alert had
 * been sent.
 */
const joinAll = listStatement<object, string>()((on, list) =>
  on
    .updateTable("deliveries")
    .set((eb) => ({
      state: "merged",
      detail: eb.fn<string>("replace", [
        "detail",
        sql.lit(DELIVERED_ALREADY),
        sql.lit(DELIVERED_TOGETHER),
      ]),
    }))
    .where("state", "=", DUPLICATE)
    .where("joined_id", "is not", null)
    .where("joined_id", "in", (eb) =>
      eb
        .selectFrom("deliveries as d")
        .select("d.id")
        .where("d.message_id", "in", list)
        .where("d.message_id", "is not", null)
        .where((own) =>
          own.or([
            own("d.replayed_at", "is", null),
            own("d.replayed_at", "<=", own.ref("deliveries.created_at")),
          ]),
        ),
    ),
);

/** Makes duplicates part of messages that were given up or are to be sent again. */
export async function joinDuplicates(on: Executor, messageIds: readonly string[]): Promise<void> {
  await joinAll(on, messageIds, {});
}
