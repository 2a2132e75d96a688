/** Schema 22: the template that the route of a delivery has chosen. */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("deliveries").addColumn("template", "text").execute();
}
