/**
 * Alerts that joined one that was given up. They were sent to nobody either: they belong to its
 * message, are counted and listed with it, and go out with it when it is sent again.
 */
import { sql } from "kysely";
import { type Executor, listStatement } from "../db/statement.ts";

/** What `explain` says of a duplicate, and of an alert that shares the message of another. */
export const DELIVERED_ALREADY = "delivered already";
const DELIVERED_TOGETHER = "delivered together with another alert";

/**
 * Duplicates were compared with this alert while its message was under way. What was compared with
 * it before an operator sent it again had been sent by then, and stays a duplicate.
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
    .where("state", "=", "duplicate")
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

/** Messages were given up, or are to be sent again: their duplicates are part of them. */
export async function joinDuplicates(on: Executor, messageIds: readonly string[]): Promise<void> {
  await joinAll(on, messageIds, {});
}
