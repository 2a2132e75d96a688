/**
 * Stores the pages that backfills read. A page is stored as soon as it arrives, because it was paid
 * for. Its tweets are loaded again when alerts are made from them.
 */
import type { BackfillPage, BackfillRead } from "../../model/backfill.ts";
import { timeOfTweetId } from "../../model/id.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Tweet } from "../../model/tweet.ts";
import { fromText, toText } from "../db/json-text.ts";
import { type Executor, insertRows, transact } from "../db/statement.ts";

export async function loadBackfill(
  db: Executor,
  fingerprint: string,
  sinceMs: number,
): Promise<BackfillRead | undefined> {
  const row = await db
    .selectFrom("backfill_reads")
    .select("read")
    .where("fingerprint", "=", fingerprint)
    .where("read_at", ">=", sinceMs)
    .executeTakeFirst();
  return row === undefined ? undefined : fromText<BackfillRead & JsonObject>(row.read);
}

const addTweets = insertRows(
  "backfill_tweets",
  ["fingerprint", "tweet_id", "posted_at", "body"],
  (insert) =>
    insert.onConflict((conflict) => conflict.columns(["fingerprint", "tweet_id"]).doNothing()),
);

export function saveBackfillPage(
  db: Executor,
  { fingerprint, read, tweets, atMs, isFirst }: BackfillPage,
): Promise<void> {
  return transact(db, async (on) => {
    if (isFirst) {
      await on.deleteFrom("backfill_tweets").where("fingerprint", "=", fingerprint).execute();
      await on.deleteFrom("backfill_reads").where("fingerprint", "=", fingerprint).execute();
    }
    const text = toText(read as unknown as JsonObject);
    await on
      .insertInto("backfill_reads")
      .values({ fingerprint, read: text, read_at: atMs })
      .onConflict((conflict) => conflict.column("fingerprint").doUpdateSet({ read: text }))
      .execute();
    await addTweets(
      on,
      tweets.map((tweet) => ({
        fingerprint,
        tweet_id: tweet.id,
        posted_at: postedMsOf(tweet),
        body: toText(tweet as unknown as JsonObject),
      })),
    );
  });
}

const postedMsOf = ({ id, created_at: createdAt }: Tweet): number =>
  Date.parse(createdAt) || timeOfTweetId(id);

export async function backfilledTweets(
  db: Executor,
  fingerprint: string,
  postedMs: number,
): Promise<readonly Tweet[]> {
  const rows = await db
    .selectFrom("backfill_tweets")
    .select("body")
    .where("fingerprint", "=", fingerprint)
    .where("posted_at", ">=", postedMs)
    .orderBy("posted_at")
    .orderBy("tweet_id")
    .execute();
  return rows.map(({ body }) => fromText<Tweet & JsonObject>(body));
}

export async function forgetBackfills(db: Executor, before: number): Promise<void> {
  const old = db.selectFrom("backfill_reads").select("fingerprint").where("read_at", "<", before);
  await db.deleteFrom("backfill_tweets").where("fingerprint", "in", old).execute();
  await db.deleteFrom("backfill_reads").where("read_at", "<", before).execute();
}
