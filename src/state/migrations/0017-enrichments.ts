/** Schema 17: events that wait for their enrichment, and those that were enriched. */
import { type Kysely, sql } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("enrichments")
    .addColumn("event_id", "text", (c) => c.primaryKey())
    .addColumn("seq", "integer", (c) => c.notNull())
    .addColumn("watch_key", "text", (c) => c.notNull())
    .addColumn("own_sinks", "text", (c) => c.notNull())
    .addColumn("gather_ms", "bigint")
    .addColumn("state", "text", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("next_at", "bigint", (c) => c.notNull())
    .addColumn("attempts", "integer", (c) => c.notNull())
    .addColumn("error", "text", (c) => c.notNull())
    .execute();
  await db.insertInto("sequences").values({ name: "enrichment", value: 0 }).execute();
  await db.schema
    .createIndex("enrichments_waiting")
    .on("enrichments")
    .columns(["watch_key", "seq"])
    .where(sql<boolean>`state = 'waiting'`)
    .execute();
}
