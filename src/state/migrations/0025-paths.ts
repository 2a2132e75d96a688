/**
 * Schema 25: what `explain` says about a delivery and a later configuration no longer shows: its
 * route, and what rendered its message.
 */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("deliveries").addColumn("routed", "text").execute();
  await db.schema.alterTable("deliveries").addColumn("worded_by", "text").execute();
  await db.schema.alterTable("deliveries").addColumn("wording_error", "text").execute();
}
