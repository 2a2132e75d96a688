/**
 * Schema 23: edits of sent messages, with a row for each alert whose tweet changed, and the channel
 * in which the sink posted a message.
 */
import { type Kysely, sql } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("messages").addColumn("channel", "text").execute();
  await db.schema
    .createTable("edits")
    .addColumn("delivery_id", "integer", (c) => c.primaryKey())
    .addColumn("shown", "text", (c) => c.notNull())
    .addColumn("versions", "text", (c) => c.notNull())
    .addColumn("state", "text", (c) => c.notNull())
    .addColumn("revision", "integer", (c) => c.notNull())
    .addColumn("attempts", "integer", (c) => c.notNull())
    .addColumn("wanted_at", "bigint", (c) => c.notNull())
    .addColumn("due_at", "bigint", (c) => c.notNull())
    .addColumn("edited_at", "bigint")
    .addColumn("body", "text")
    .addColumn("error", "text", (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex("edits_waiting")
    .on("edits")
    .column("due_at")
    .where(sql<boolean>`state = 'waiting'`)
    .execute();
}
