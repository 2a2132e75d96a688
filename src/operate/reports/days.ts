/** Counts by day for the charts of the pages: of all watches, and of one. */
import { type Clock, isoTime } from "../../model/clock.ts";
import type { PeriodCount, DayStore } from "../../model/days.ts";
import type { Ledger } from "../../model/ledger.ts";
import type { VolumeStore } from "../../model/volume-store.ts";
import type { WatchStore } from "../../model/watch-store.ts";
import { yieldToEventLoop } from "../../model/steps.ts";
import type { ActivityView, WatchDaysView } from "../../server/schema/report-view.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAYS_OF_ALL = 30;
const DAYS_OF_ONE = 14;
/** How many days of the past may still get alerts: what polls find late. */
const OPEN_DAYS = 2;
/** A count of such a day is used this long, unless it is today: pages ask every ten seconds. */
const OPEN_FOR_MS = 30_000;
/**
 * After this time today is counted anew. Until then only new events are added to its count, which
 * does not show if a watch is forgotten together with its alerts.
 */
const ADDED_FOR_MS = 600_000;

interface Counted extends PeriodCount {
  /** When the count was made or added to. */
  readonly atMs: number;
  /** When all of the day was counted. */
  readonly wholeAtMs: number;
}

export interface DaysDeps {
  readonly store: DayStore &
    Pick<Ledger, "spentByHour"> &
    Pick<VolumeStore, "countEvents"> &
    Pick<WatchStore, "listWatches">;
  readonly clock: Pick<Clock, "now">;
}

export interface Days {
  /** Returns the counts of all watches; requests from `periodStartMs` on. */
  ofAll(periodStartMs: number): Promise<ActivityView>;
  /** Returns the counts of a watch; undefined if the state has none with that id. */
  ofWatch(watchId: string): Promise<WatchDaysView | undefined>;
}

/** Creates the counts. What was counted of a day that is over is remembered. */
export function createDays({ store, clock }: DaysDeps): Days {
  const counted = new Map<number, Counted>();
  /** A count that was made while a day was open says nothing once the day is over. */
  const isKnown = (day: number): boolean => {
    const known = counted.get(day);
    if (known === undefined) return false;
    const [endsAtMs, closesAtMs] = [(day + 1) * DAY_MS, (day + OPEN_DAYS) * DAY_MS];
    if (known.atMs >= closesAtMs) return true;
    const nowMs = clock.now();
    const isOver = known.atMs >= endsAtMs && nowMs < closesAtMs;
    return isOver && nowMs >= known.atMs && nowMs < known.atMs + OPEN_FOR_MS;
  };
  const earlierOf = (day: number, nowMs: number): Counted | undefined => {
    const known = counted.get(day);
    const sinceMs = nowMs - (known?.wholeAtMs ?? Number.NEGATIVE_INFINITY);
    return sinceMs >= 0 && sinceMs < ADDED_FOR_MS ? known : undefined;
  };
  return {
    async ofAll(periodStartMs) {
      const today = Math.floor(clock.now() / DAY_MS);
      for (const day of counted.keys()) if (day <= today - DAYS_OF_ALL) counted.delete(day);
      const alerts = [];
      for (let day = today - DAYS_OF_ALL + 1; day <= today; day += 1) {
        if (!isKnown(day)) {
          await yieldToEventLoop();
          const atMs = clock.now();
          const earlier = earlierOf(day, atMs);
          const found = await store.countAlerts(day * DAY_MS, (day + 1) * DAY_MS, earlier);
          counted.set(day, { ...found, atMs, wholeAtMs: earlier?.wholeAtMs ?? atMs });
        }
        alerts.push({ day: dayOf(day), count: counted.get(day)?.count ?? 0 });
      }
      const hours = await store.spentByHour(periodStartMs);
      return {
        alerts,
        requests: hours.map(({ hourMs, requests }) => ({ at: isoTime(hourMs), spent: requests })),
      };
    },
    async ofWatch(watchId) {
      const key = (await store.listWatches([watchId]))[0]?.key;
      if (key === undefined) return undefined;
      const today = Math.floor(clock.now() / DAY_MS);
      const days = Array.from({ length: DAYS_OF_ONE }, (_, at) => today - DAYS_OF_ONE + 1 + at);
      const all = days.flatMap((day) => Array.from({ length: 24 }, (_, hour) => day * 24 + hour));
      const hours = await store.watchHours({ watchKey: key, watchId }, all);
      const spans = days.map((day) => ({ fromMs: day * DAY_MS - 1, toMs: (day + 1) * DAY_MS - 1 }));
      const alerted = await store.countEvents(key, spans);
      return {
        watch: watchId,
        days: days.map((day, at) => {
          const own = hours.filter(({ hour }) => Math.floor(hour / 24) === day);
          const sum = (pick: (hour: (typeof own)[number]) => number) =>
            own.reduce((total, hour) => total + pick(hour), 0);
          return {
            day: dayOf(day),
            read: sum(({ read }) => read),
            filtered: sum(({ filtered }) => filtered),
            alerted: alerted[at] ?? 0,
            requests: sum(({ requests }) => requests),
          };
        }),
      };
    },
  };
}

const dayOf = (day: number): string => isoTime(day * DAY_MS).slice(0, 10);
