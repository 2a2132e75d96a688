/**
 * Counts by watch and hour the items that polls have read and filtered. The counts are written with
 * the commit of each poll, so that a report need not scan the items.
 */
import type { WatchReads } from "../../model/report.ts";
import { type Executor, insertRows, listStatement } from "../db/statement.ts";

const HOUR_MS = 3_600_000;

const add = insertRows("watch_hours", ["watch_key", "hour", "items_read", "filtered"], (insert) =>
  insert.onConflict((conflict) =>
    conflict.columns(["watch_key", "hour"]).doUpdateSet((eb) => ({
      items_read: eb("watch_hours.items_read", "+", eb.ref("excluded.items_read")),
      filtered: eb("watch_hours.filtered", "+", eb.ref("excluded.filtered")),
    })),
  ),
);

/** Adds the counts of a poll to the hour. A watch without a new item gets no row. */
export async function addWatchHours(
  on: Executor,
  counts: ReadonlyMap<string, { readonly read: number; readonly filtered: number }>,
  atMs: number,
): Promise<void> {
  const hour = Math.floor(atMs / HOUR_MS) * HOUR_MS;
  const rows = [...counts].filter(([, { read }]) => read > 0);
  await add(
    on,
    rows.map(([watchKey, { read, filtered }]) => ({
      watch_key: watchKey,
      hour,
      items_read: read,
      filtered,
    })),
  );
}

const sums = listStatement<{ from: number; to: number }, string>()((on, list, slot) =>
  on
    .selectFrom("watch_hours")
    .select((eb) => [
      "watch_key",
      eb.fn.sum<number>("items_read").as("read"),
      eb.fn.sum<number>("filtered").as("filtered"),
    ])
    .where("watch_key", "in", list)
    .where("hour", ">=", slot("from"))
    .where("hour", "<", slot("to"))
    .groupBy("watch_key"),
);

export async function watchReads(
  db: Executor,
  watchKeys: readonly string[],
  fromMs: number,
  toMs: number,
): Promise<ReadonlyMap<string, WatchReads>> {
  const { rows } = await sums(db, watchKeys, { from: fromMs, to: toMs });
  return new Map(
    rows.map(({ watch_key: key, read, filtered }) => [
      key,
      { read: Number(read), filtered: Number(filtered) },
    ]),
  );
}

export async function firstWatchHour(db: Executor): Promise<number | null> {
  const row = await db
    .selectFrom("watch_hours")
    .select((eb) => eb.fn.min("hour").as("first"))
    .executeTakeFirst();
  return row === undefined || row.first === null ? null : Number(row.first);
}
