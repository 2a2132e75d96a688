/**
 * Schema 27: whether a backfill found an event that waits for its enrichment, so that the digest
 * says so.
 */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("enrichments").addColumn("backfilled", "integer").execute();
}
