/** Schema 37: alerts on values store when they were last repeated, and by which alert. */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("levels").addColumn("last_at", "bigint").execute();
  await db.schema.alterTable("levels").addColumn("last_event_id", "text").execute();
}
