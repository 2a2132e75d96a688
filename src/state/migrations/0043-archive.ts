/**
 * Schema 43: what polls read that was new, in the order of time, and the configuration of each
 * revision. A row holds one read, or many that were compressed together, from `at` to `until`.
 */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("archive")
    .addColumn("at", "bigint", (column) => column.notNull())
    .addColumn("id", "text", (column) => column.notNull())
    .addColumn("until", "bigint", (column) => column.notNull())
    .addColumn("reads", "integer", (column) => column.notNull())
    .addColumn("compressed", "integer", (column) => column.notNull())
    .addColumn("bytes", "integer", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("archive_key", ["at", "id"])
    .execute();
  await db.schema.alterTable("config_revisions").addColumn("body", "text").execute();
}
