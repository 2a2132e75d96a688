/**
 * Schema 24: alerts on values beyond a threshold, for sinks that want them repeated or resolved.
 */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("levels")
    .addColumn("event_id", "text", (c) => c.notNull())
    .addColumn("sink", "text", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("repeat_ms", "bigint")
    .addColumn("next_at", "bigint")
    .addColumn("repeats", "integer", (c) => c.notNull())
    .addColumn("rules", "text")
    .addPrimaryKeyConstraint("levels_pk", ["event_id", "sink"])
    .execute();
}
