/** Schema 38: what polls read and filtered, by watch and hour, for reports. */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("watch_hours")
    .addColumn("watch_key", "text", (column) => column.notNull())
    .addColumn("hour", "bigint", (column) => column.notNull())
    .addColumn("items_read", "integer", (column) => column.notNull())
    .addColumn("filtered", "integer", (column) => column.notNull())
    .addPrimaryKeyConstraint("watch_hours_key", ["watch_key", "hour"])
    .execute();
}
