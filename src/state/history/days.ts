/** Counts what watches read, alerted and cost, by hour, without reading events. */
import { sql } from "kysely";
import type { PeriodCount, DayStore, WatchHour } from "../../model/days.ts";
import { type Executor, isOnPostgres, listStatement, statement } from "../db/statement.ts";

/** The statement that counts reads it, too, so that no event is added in between. */
const newestSeq = sql<number | null>`(select max("seq") from "events")`.as("last");

/**
 * Seeks the period in the index of events once for each watch. SQLite keeps the order of a cross
 * join; with an inner join it would walk through the index of all events.
 */
const alertsIn = statement<{ fromMs: number; toMs: number }>()((on, slot) =>
  on
    .selectFrom("watches as w")
    .crossJoin("events as e")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .select(newestSeq)
    .whereRef("e.watch_key", "=", "w.key")
    .where("e.occurred_at", ">=", slot("fromMs"))
    .where("e.occurred_at", "<", slot("toMs")),
);

/** Walks through the newest events, whose rows it has to read. */
const alertsSince = statement<{ fromMs: number; toMs: number; seq: number }>()((on, slot) =>
  on
    .selectFrom("events as e")
    .crossJoin("watches as w")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .select(newestSeq)
    .whereRef("e.watch_key", "=", "w.key")
    .where("e.seq", ">", slot("seq"))
    .where("e.occurred_at", ">=", slot("fromMs"))
    .where("e.occurred_at", "<", slot("toMs")),
);

const newest = statement<object>()((on) => on.selectNoFrom(newestSeq));

/** Counting a day in the index takes as long as reading about this many rows. */
const MAX_READ = 1_000;

async function countAlerts(
  db: Executor,
  period: { readonly fromMs: number; readonly toMs: number },
  earlier: PeriodCount | undefined,
): Promise<PeriodCount> {
  const seq = earlier?.lastSeq ?? null;
  if (earlier !== undefined && seq !== null) {
    const [now] = (await newest(db, {})).rows;
    if (Number(now?.last ?? 0) - seq <= MAX_READ) {
      const [more] = (await alertsSince(db, { ...period, seq })).rows;
      return {
        count: earlier.count + Number(more?.count ?? 0),
        lastSeq: Math.max(seq, more?.last ?? 0),
      };
    }
  }
  const [all] = (await alertsIn(db, period)).rows;
  // On Postgres a transaction may commit events after another one that has higher numbers.
  const lastSeq = isOnPostgres(db) ? null : (all?.last ?? null);
  return { count: Number(all?.count ?? 0), lastSeq };
}

const readIn = listStatement<{ watchKey: string }, number>()((on, list, slot) =>
  on
    .selectFrom("watch_hours")
    .select(["hour", "items_read", "filtered"])
    .where("watch_key", "=", slot("watchKey"))
    .where("hour", "in", list),
);

/** The hours of reads are stored in epoch ms, those of the ledger in hours since the epoch. */
const HOUR_MS = 3_600_000;

const spentIn = listStatement<{ watchId: string }, number>()((on, list, slot) =>
  on
    .selectFrom("spent_lines")
    .select((eb) => ["hour", eb.fn.sum<number>("requests").as("requests")])
    .where("hour", "in", list)
    .where("watch", "=", slot("watchId"))
    .groupBy("hour"),
);

export const days = (db: Executor): DayStore => ({
  countAlerts: (fromMs, toMs, earlier) => countAlerts(db, { fromMs, toMs }, earlier),
  async watchHours({ watchKey, watchId }, hours) {
    const found = new Map<number, WatchHour>();
    const add = (hour: number, more: Partial<WatchHour>) => {
      const before = found.get(hour) ?? { hour, read: 0, filtered: 0, requests: 0 };
      found.set(hour, { ...before, ...more });
    };
    const startsMs = hours.map((hour) => hour * HOUR_MS);
    for (const row of (await readIn(db, startsMs, { watchKey })).rows)
      add(Number(row.hour) / HOUR_MS, {
        read: Number(row.items_read),
        filtered: Number(row.filtered),
      });
    for (const row of (await spentIn(db, hours, { watchId })).rows)
      add(Number(row.hour), { requests: Number(row.requests) });
    return [...found.values()].sort((a, b) => a.hour - b.hour);
  },
});
