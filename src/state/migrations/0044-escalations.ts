/** Schema 44: the alerts that are escalated unless somebody acknowledges them. */
import { type Kysely, sql } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("escalations")
    .addColumn("delivery_id", "integer", (column) => column.primaryKey())
    .addColumn("message_id", "text")
    .addColumn("base_at", "bigint", (column) => column.notNull())
    .addColumn("begun_at", "bigint", (column) => column.notNull())
    .addColumn("at_once", "integer", (column) => column.notNull())
    .addColumn("due_at", "bigint")
    .addColumn("revision", "integer", (column) => column.notNull())
    .addColumn("plan", "text")
    .addColumn("taken", "text", (column) => column.notNull())
    .addColumn("ended", "text", (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("escalations_due")
    .on("escalations")
    .column("due_at")
    .where(sql<boolean>`due_at is not null`)
    .execute();
}
