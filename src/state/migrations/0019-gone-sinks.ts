/**
 * Schema 19: a sink whose receiver said that its address is gone for good stays disabled over
 * restarts.
 */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("sink_health").addColumn("gone_from", "text").execute();
}
