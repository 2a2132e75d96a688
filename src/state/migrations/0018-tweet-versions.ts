/** Schema 18: which texts of a fresh tweet are known, so that an edit is announced once. */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable("rechecks")
    .addColumn("versions", "text", (c) => c.notNull().defaultTo(""))
    .execute();
}
