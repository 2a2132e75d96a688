/**
 * Schema 10: crossposts, one for each message that is to be published to the followers of its
 * channel.
 */
import { type Kysely, sql } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("crossposts")
    .addColumn("message_id", "text", (c) => c.primaryKey())
    .addColumn("sink", "text", (c) => c.notNull())
    .addColumn("ref", "text", (c) => c.notNull())
    .addColumn("state", "text", (c) => c.notNull())
    .addColumn("attempts", "integer", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("next_attempt_at", "bigint", (c) => c.notNull())
    .addColumn("done_at", "bigint")
    .addColumn("reported_at", "bigint")
    .addColumn("error", "text", (c) => c.notNull())
    .execute();
  const waiting = sql<boolean>`state = 'waiting'`;
  await db.schema
    .createIndex("crossposts_waiting")
    .on("crossposts")
    .columns(["sink", "created_at"])
    .where(waiting)
    .execute();
  const notPublished = sql<boolean>`state = 'not_published'`;
  await db.schema
    .createIndex("crossposts_not_published")
    .on("crossposts")
    .columns(["sink", "done_at"])
    .where(notPublished)
    .execute();
}
