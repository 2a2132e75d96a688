/**
 * Schema 15: failed attempts at messages, for `explain`. The successful attempt is stored with the
 * message.
 */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("attempts")
    .addColumn("message_id", "text", (c) => c.notNull())
    .addColumn("at", "bigint", (c) => c.notNull())
    .addColumn("error", "text", (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex("attempts_message")
    .on("attempts")
    .columns(["message_id", "at"])
    .execute();
}
