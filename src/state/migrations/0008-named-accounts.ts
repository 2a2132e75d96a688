/** Schema 8: a watch keeps the ids of accounts that its settings name beside its targets. */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable("watches")
    .addColumn("accounts", "text", (c) => c.notNull().defaultTo("{}"))
    .execute();
}
