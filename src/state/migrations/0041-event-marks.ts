/** Schema 41: the marks that people put on alerts, such as who acknowledged one and when. */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("event_marks")
    .addColumn("event_id", "text", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("marked_at", "bigint", (column) => column.notNull())
    .addColumn("marked_by", "text", (column) => column.notNull())
    .addColumn("marked_from", "text", (column) => column.notNull())
    .addColumn("undone_at", "bigint")
    .addPrimaryKeyConstraint("event_marks_pk", ["event_id", "kind"])
    .execute();
}
