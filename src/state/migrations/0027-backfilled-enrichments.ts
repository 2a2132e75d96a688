/**
 * Schema 27: stores whether a backfill found an event that waits for its enrichment, so that the
 * digest can say that a backfill found it.
 */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("enrichments").addColumn("backfilled", "integer").execute();
}
