/** Schema 16: the pages that backfills paid for, and how far back each source was read. */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("backfill_reads")
    .addColumn("fingerprint", "text", (c) => c.primaryKey())
    .addColumn("read", "text", (c) => c.notNull())
    .addColumn("read_at", "bigint", (c) => c.notNull())
    .execute();
  await db.schema
    .createTable("backfill_tweets")
    .addColumn("fingerprint", "text", (c) => c.notNull())
    .addColumn("tweet_id", "text", (c) => c.notNull())
    .addColumn("posted_at", "bigint", (c) => c.notNull())
    .addColumn("body", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("backfill_tweets_key", ["fingerprint", "tweet_id"])
    .execute();
}
