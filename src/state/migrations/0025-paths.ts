/**
 * Schema 25: stores for `explain` the route of a delivery and what rendered its message, because a
 * later configuration may no longer show them.
 */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("deliveries").addColumn("routed", "text").execute();
  await db.schema.alterTable("deliveries").addColumn("worded_by", "text").execute();
  await db.schema.alterTable("deliveries").addColumn("wording_error", "text").execute();
}
