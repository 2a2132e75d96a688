/** Schema 11: the time interval that holds a delivery back. */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("deliveries").addColumn("held_by", "text").execute();
}
