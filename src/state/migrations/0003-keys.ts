/**
 * Schema 3: the ledger stores which key paid. The sums by hour are stored by key, so their tables
 * are created again.
 */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable("ledger")
    .addColumn("key", "text", (c) => c.notNull().defaultTo(""))
    .execute();
  await rebuildHours(db);
  await rebuildLines(db);
}

async function rebuildHours(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("spent_hours").renameTo("spent_hours_before").execute();
  await db.schema
    .createTable("spent_hours")
    .addColumn("hour", "integer", (c) => c.notNull())
    .addColumn("key", "text", (c) => c.notNull().defaultTo(""))
    .addColumn("requests", "integer", (c) => c.notNull())
    .addPrimaryKeyConstraint("spent_hours_by_key", ["hour", "key"])
    .execute();
  const before = db as unknown as Kysely<{
    spent_hours_before: { hour: number; requests: number };
  }>;
  await db
    .insertInto("spent_hours")
    .columns(["hour", "requests"])
    .expression(before.selectFrom("spent_hours_before").select(["hour", "requests"]))
    .execute();
  await db.schema.dropTable("spent_hours_before").execute();
}

async function rebuildLines(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("spent_lines").renameTo("spent_lines_before").execute();
  await db.schema
    .createTable("spent_lines")
    .addColumn("hour", "integer", (c) => c.notNull())
    .addColumn("watch", "text", (c) => c.notNull())
    .addColumn("endpoint", "text", (c) => c.notNull())
    .addColumn("key", "text", (c) => c.notNull().defaultTo(""))
    .addColumn("requests", "integer", (c) => c.notNull())
    .addPrimaryKeyConstraint("spent_lines_by_key", ["hour", "watch", "endpoint", "key"])
    .execute();
  const before = db as unknown as Kysely<{
    spent_lines_before: { hour: number; watch: string; endpoint: string; requests: number };
  }>;
  await db
    .insertInto("spent_lines")
    .columns(["hour", "watch", "endpoint", "requests"])
    .expression(
      before.selectFrom("spent_lines_before").select(["hour", "watch", "endpoint", "requests"]),
    )
    .execute();
  await db.schema.dropTable("spent_lines_before").execute();
}
