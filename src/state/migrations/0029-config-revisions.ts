/** Schema 29: the configurations that the state has worked with, in order. */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("config_revisions")
    .addColumn("number", "integer", (column) => column.primaryKey().notNull())
    .addColumn("hash", "text", (column) => column.notNull())
    .addColumn("at", "integer", (column) => column.notNull())
    .addColumn("cause", "text", (column) => column.notNull())
    .addColumn("by", "text", (column) => column.notNull())
    .execute();
}
