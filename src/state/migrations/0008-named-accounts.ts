/**
 * Schema 8: a watch stores the ids of accounts that its settings name in addition to its targets.
 */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable("watches")
    .addColumn("accounts", "text", (c) => c.notNull().defaultTo("{}"))
    .execute();
}
