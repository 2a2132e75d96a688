/**
 * Schema 25: what `explain` says of a delivery that the configuration of later cannot know: its
 * route, and what wrote its message.
 */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("deliveries").addColumn("routed", "text").execute();
  await db.schema.alterTable("deliveries").addColumn("worded_by", "text").execute();
  await db.schema.alterTable("deliveries").addColumn("wording_error", "text").execute();
}
