/**
 * Finds the last text of tweets that were edited after they were found, so that digests show it.
 */
import type { Tweet } from "../../model/tweet.ts";
import { fromText } from "../db/json-text.ts";
import { TWEET_EVENTS } from "../db/literals.ts";
import { type Executor, listStatement } from "../db/statement.ts";

/** Finds the later edits of the tweets that deliveries are about, the newest last. */
const editsOf = listStatement<object, number>()((on, list) =>
  on
    .selectFrom("deliveries as d")
    .innerJoin("events as e", "e.id", "d.event_id")
    .innerJoin("events as n", "n.subject", "e.subject")
    .select(["d.id", "n.body"])
    .where("d.id", "in", list)
    .where("e.type", "like", TWEET_EVENTS)
    .where("e.type", "not in", ["tweet.edited", "tweet.deleted"])
    .where("n.type", "=", "tweet.edited")
    .whereRef("n.detected_at", ">=", "e.detected_at")
    .orderBy("n.detected_at"),
);

export async function lastTexts(
  db: Executor,
  deliveryIds: readonly number[],
): Promise<ReadonlyMap<number, Tweet>> {
  const found = new Map<number, Tweet>();
  if (deliveryIds.length === 0) return found;
  for (const { id, body } of (await editsOf(db, deliveryIds, {})).rows) {
    const { tweet } = fromText<{ readonly tweet?: Tweet }>(body);
    if (tweet !== undefined) found.set(Number(id), tweet);
  }
  return found;
}
