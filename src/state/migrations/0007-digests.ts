/**
 * Schema 7: adds digests of several messages. A delivery stores the group that it was moved from,
 * and a message stores the message under which it is posted.
 */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("deliveries").addColumn("original_group_key", "text").execute();
  await db.schema.alterTable("messages").addColumn("parent_id", "text").execute();
}
