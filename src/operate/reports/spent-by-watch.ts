/**
 * Sums up what each watch has spent in the quota period. With a thousand watches a month has 700,000
 * rows, so hours that are over are read once, some at a time, and remembered.
 */
import type { Clock } from "../../model/clock.ts";
import type { Ledger } from "../../model/ledger.ts";
import { yieldToEventLoop } from "../../model/steps.ts";

const HOUR_MS = 3_600_000;
/** The number of rows that are read at once, of which each hour has about one for each watch. */
const ROWS_AT_ONCE = 24_000;
/** How many hours of the past may still change: other replicas' clocks differ by seconds. */
const OPEN_HOURS = 1;

export interface SpentByWatchDeps {
  readonly store: Pick<Ledger, "spentByWatch">;
  readonly clock: Pick<Clock, "now">;
  /** Returns the number of watches. */
  readonly countWatches: () => number;
}

/** Returns the requests by the id of the watch, from the hour of `periodStartMs` on. */
export type SpentByWatch = (periodStartMs: number) => Promise<ReadonlyMap<string, number>>;

export function createSpentByWatch({ store, clock, countWatches }: SpentByWatchDeps): SpentByWatch {
  let past = { fromHour: 0, toHour: 0, sums: new Map<string, number>() };
  const add = async (sums: Map<string, number>, from: number, to: number) => {
    for (const [watch, requests] of await store.spentByWatch(from, to))
      sums.set(watch, (sums.get(watch) ?? 0) + requests);
  };
  return async (periodStartMs) => {
    const fromHour = Math.floor(periodStartMs / HOUR_MS);
    const openHour = Math.max(fromHour, Math.floor(clock.now() / HOUR_MS) - OPEN_HOURS);
    if (past.fromHour !== fromHour || past.toHour > openHour)
      past = { fromHour, toHour: fromHour, sums: new Map() };
    const known = past;
    const hoursAtOnce = Math.max(1, Math.floor(ROWS_AT_ONCE / Math.max(1, countWatches())));
    while (known.toHour < openHour) {
      const toHour = Math.min(openHour, known.toHour + hoursAtOnce);
      const read = new Map<string, number>();
      const readFrom = known.toHour;
      await add(read, readFrom, toHour);
      // Another reader may have added these hours meanwhile.
      if (known.toHour === readFrom) {
        for (const [watch, requests] of read)
          known.sums.set(watch, (known.sums.get(watch) ?? 0) + requests);
        known.toHour = toHour;
      }
      if (toHour < openHour) await yieldToEventLoop();
    }
    const sums = new Map(known.sums);
    await add(sums, openHour, Number.MAX_SAFE_INTEGER);
    return sums;
  };
}
