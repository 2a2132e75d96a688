/**
 * Schema 31: groups store their interval, for events that join a group while its message is being
 * sealed.
 */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("groups").addColumn("interval_ms", "integer").execute();
}
