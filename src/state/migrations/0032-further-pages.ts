/**
 * Schema 32: the ledger marks pages beyond the first, because replicas share what the quota leaves
 * for these.
 */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable("ledger")
    .addColumn("further", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
}
