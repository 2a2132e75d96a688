/**
 * Schema 40: an alert that is sent again stores which receivers have it already, so that its next
 * message leaves them out.
 */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("deliveries").addColumn("taken", "text").execute();
}
