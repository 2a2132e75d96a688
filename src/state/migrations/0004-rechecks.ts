/** Schema 4: rechecks of fresh tweets, and an index for counting the events of a watch by time. */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("rechecks")
    .addColumn("target_id", "integer", (c) => c.notNull())
    .addColumn("tweet_id", "text", (c) => c.notNull())
    .addColumn("due_at", "bigint", (c) => c.notNull())
    .addColumn("until_at", "bigint", (c) => c.notNull())
    .addColumn("event_id", "text", (c) => c.notNull())
    .addColumn("condition", "text", (c) => c.notNull())
    .addColumn("absences", "integer", (c) => c.notNull())
    .addPrimaryKeyConstraint("rechecks_pk", ["target_id", "tweet_id"])
    .execute();
  await db.schema.createIndex("rechecks_due").on("rechecks").column("due_at").execute();
  await db.schema
    .createIndex("events_watch_time")
    .on("events")
    .columns(["watch_key", "occurred_at"])
    .execute();
}
