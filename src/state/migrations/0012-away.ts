/**
 * Schema 12: stores since when a watch is away, which means paused, disabled or removed. The times
 * of pauses and removals that older releases stored are copied.
 */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

const PAUSED = "paused:";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable("watches")
    .addColumn("enabled", "integer", (c) => c.notNull().defaultTo(1))
    .execute();
  await db.schema.alterTable("watches").addColumn("away_at", "bigint").execute();
  const notes = await db
    .selectFrom("notes")
    .selectAll()
    .where("name", "like", `${PAUSED}%`)
    .execute();
  const pausedAt = new Map(
    notes.map(({ name, value }) => [name.slice(PAUSED.length), JSON.parse(value) as unknown]),
  );
  for (const watch of await db
    .selectFrom("watches")
    .select(["key", "paused", "registered_at", "removed_at"])
    .execute()) {
    const noted = pausedAt.get(watch.key);
    const pausedMs =
      watch.paused === 1 ? (typeof noted === "number" ? noted : watch.registered_at) : null;
    const times = [pausedMs, watch.removed_at].filter((time) => time !== null).map(Number);
    if (times.length === 0) continue;
    await db
      .updateTable("watches")
      .set({ away_at: Math.min(...times) })
      .where("key", "=", watch.key)
      .execute();
  }
  await db.deleteFrom("notes").where("name", "like", `${PAUSED}%`).execute();
}
