/**
 * Schema 7: digests of several messages. A delivery stores the group that it was moved from, a
 * message the one that it is posted under.
 */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("deliveries").addColumn("original_group_key", "text").execute();
  await db.schema.alterTable("messages").addColumn("parent_id", "text").execute();
}
