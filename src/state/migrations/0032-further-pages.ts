/**
 * Schema 32: the ledger knows pages beyond the first, of which replicas share out what the quota
 * leaves.
 */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable("ledger")
    .addColumn("further", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
}
