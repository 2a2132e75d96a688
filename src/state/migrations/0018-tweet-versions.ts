/** Schema 18: the known texts of a fresh tweet, so that an edit is announced only once. */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable("rechecks")
    .addColumn("versions", "text", (c) => c.notNull().defaultTo(""))
    .execute();
}
