/** Schema 45: the clicks on buttons in chats that took effect, because vendors deliver some twice. */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("clicks")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("person", "text", (column) => column.notNull())
    .addColumn("clicked_at", "bigint", (column) => column.notNull())
    .execute();
}
