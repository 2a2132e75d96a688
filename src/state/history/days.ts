/** Counts what watches read, alerted and cost, by hour, without reading events. */
import type { DayStore, WatchHour } from "../../model/days.ts";
import { type Executor, listStatement, statement } from "../db/statement.ts";

/**
 * Seeks the period in the index of events once for each watch. SQLite keeps the order of a cross
 * join; with an inner join it would walk through the index of all events.
 */
const alertsIn = statement<{ fromMs: number; toMs: number }>()((on, slot) =>
  on
    .selectFrom("watches as w")
    .crossJoin("events as e")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .whereRef("e.watch_key", "=", "w.key")
    .where("e.occurred_at", ">=", slot("fromMs"))
    .where("e.occurred_at", "<", slot("toMs")),
);

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
  async countAlerts(fromMs, toMs) {
    const [row] = (await alertsIn(db, { fromMs, toMs })).rows;
    return Number(row?.count ?? 0);
  },
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
