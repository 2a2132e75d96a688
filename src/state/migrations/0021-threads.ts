/** Schema 21: the message that a thread begins with. */
import { type Kysely, sql } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("threads")
    .addColumn("sink", "text", (c) => c.notNull())
    .addColumn("thread_key", "text", (c) => c.notNull())
    .addColumn("message_id", "text", (c) => c.notNull())
    .addColumn("ends_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("threads_pk", ["sink", "thread_key"])
    .execute();
  await db.schema.createIndex("threads_by_message").on("threads").column("message_id").execute();
  await db.schema
    .createIndex("messages_by_parent")
    .on("messages")
    .column("parent_id")
    .where(sql<boolean>`parent_id is not null`)
    .execute();
}
