/**
 * Schema 27: which of the events that wait for their enrichment a backfill has found, so that their
 * digest says so.
 */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("enrichments").addColumn("backfilled", "integer").execute();
}
