/** Schema 28: stores the daemons that share a state, and which of them does which work. */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("replicas")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("host", "text", (column) => column.notNull())
    .addColumn("config", "text", (column) => column.notNull())
    .addColumn("leads", "integer", (column) => column.notNull())
    .addColumn("joined_at", "integer", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("claims")
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("key", "text", (column) => column.notNull())
    .addColumn("cost", "real", (column) => column.notNull())
    .addColumn("replica", "text")
    .addColumn("wanted", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("claims_key", ["kind", "key"])
    .execute();
}
