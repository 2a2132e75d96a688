/**
 * Schema 14: adds silences, and stores which deliveries they hold back and which of those an
 * operator sent again.
 */
import { type Kysely, sql } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("silences")
    .addColumn("id", "integer", (c) => c.primaryKey())
    .addColumn("matchers", "text", (c) => c.notNull())
    .addColumn("starts_at", "bigint", (c) => c.notNull())
    .addColumn("ends_at", "bigint", (c) => c.notNull())
    .addColumn("author", "text", (c) => c.notNull())
    .addColumn("comment", "text", (c) => c.notNull())
    .execute();
  await db.insertInto("sequences").values({ name: "silence", value: 0 }).execute();
  await db.schema.alterTable("deliveries").addColumn("silenced_by", "text").execute();
  await db.schema.alterTable("deliveries").addColumn("replayed_at", "bigint").execute();
  await db.schema
    .createIndex("deliveries_silenced")
    .on("deliveries")
    .columns(["silenced_by", "sink"])
    .where(sql<boolean>`state = 'silenced'`)
    .execute();
}
