/** Finds alerts on tweets that a later poll or recheck reported as gone. */
import type { ExpressionBuilder } from "kysely";
import { OPEN, TWEET_EVENTS } from "../db/literals.ts";
import { type Executor, listStatement } from "../db/statement.ts";
import type { EventsTable, Tables } from "../db/tables.ts";

/**
 * Whether the tweet of an event was reported as gone after the event was detected. An event that
 * was detected after the report shows that the tweet is back. The report itself is not about a
 * tweet that is gone since.
 */
export const isGone = (eb: ExpressionBuilder<Tables & { e: EventsTable }, "e">) =>
  eb.and([
    eb("e.type", "like", TWEET_EVENTS),
    eb("e.type", "!=", "tweet.deleted"),
    eb.exists(
      eb
        .selectFrom("events as g")
        .select("g.id")
        .whereRef("g.subject", "=", "e.subject")
        .where("g.type", "=", "tweet.deleted")
        .whereRef("g.detected_at", ">=", "e.detected_at"),
    ),
  ]);

const ofDeliveries = listStatement<object, number>()((on, list) =>
  on
    .selectFrom("deliveries as d")
    .innerJoin("events as e", "e.id", "d.event_id")
    .select("d.id")
    .where("d.id", "in", list)
    .where(isGone),
);

export const goneDeliveries = async (
  db: Executor,
  ids: readonly number[],
): Promise<ReadonlySet<number>> =>
  new Set((await ofDeliveries(db, ids, {})).rows.map(({ id }) => Number(id)));

const membersOf = listStatement<object, string>()((on, list) =>
  on
    .selectFrom("deliveries as d")
    .innerJoin("messages as m", "m.id", "d.message_id")
    .select(["d.id", "m.id as message_id", "m.first_attempt_at"])
    .select((eb) =>
      eb
        .selectFrom("messages as o")
        .select((o) => o.fn.countAll<number>().as("count"))
        .where("o.state", "=", OPEN)
        .whereRef("o.sink", "=", "m.sink")
        .whereRef("o.group_key", "=", "m.group_key")
        .as("of_group"),
    )
    .where("d.message_id", "in", list)
    .where("d.message_id", "is not", null),
);

/**
 * Returns the messages that must be sealed again without the alerts on tweets that are gone:
 * messages that were never attempted, and messages that contain only such alerts. Another message
 * that was attempted may have arrived, and a changed version would arrive in addition. A list that
 * was split into several messages is left as it is.
 */
export async function outdatedMessages(
  db: Executor,
  messageIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await membersOf(db, messageIds, {});
  const gone = await goneDeliveries(
    db,
    rows.map(({ id }) => Number(id)),
  );
  if (gone.size === 0) return new Set();
  const outdated = messageIds.filter((messageId) => {
    const own = rows.filter((row) => row.message_id === messageId);
    const ofGone = own.filter(({ id }) => gone.has(Number(id))).length;
    const isWhole = own.every(({ of_group: count }) => Number(count) === 1);
    const isUntried = own.every(({ first_attempt_at: atMs }) => atMs === null);
    return ofGone > 0 && isWhole && (isUntried || ofGone === own.length);
  });
  return new Set(outdated);
}
