/** Schema 20: stores whom messages mentioned, and when. */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("mentions")
    .addColumn("message_id", "text", (c) => c.notNull())
    .addColumn("mention", "text", (c) => c.notNull())
    .addColumn("sink", "text", (c) => c.notNull())
    .addColumn("mentioned_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("mentions_pk", ["message_id", "mention"])
    .execute();
  await db.schema
    .createIndex("mentions_by_sink")
    .on("mentions")
    .columns(["sink", "mention", "mentioned_at"])
    .execute();
}
