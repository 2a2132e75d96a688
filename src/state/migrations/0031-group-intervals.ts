/**
 * Schema 31: groups keep their interval, for events that join while a message of their group is
 * made.
 */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("groups").addColumn("interval_ms", "integer").execute();
}
