/** Schema 46: snoozes, and silences of some sinks only. */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable("silences")
    .addColumn("kind", "text", (column) => column.notNull().defaultTo("silence"))
    .execute();
  await db.schema.alterTable("silences").addColumn("sinks", "text").execute();
  await db.schema.alterTable("silences").addColumn("event_id", "text").execute();
}
