/**
 * Schema 39: an index that finds the oldest hours of all watches, to prune them and to see since
 * when they are counted.
 */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.createIndex("watch_hours_by_hour").on("watch_hours").column("hour").execute();
}
