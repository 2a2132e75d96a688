/** Counts the requests of each watch, hour by hour from the ledger, for the forecast. `forecast/counted-days.ts` says when a day counts. */
import { type CountedDays, type CountedHour, countHour, isCountable } from "../../forecast/counted-days.ts";
import { untilDone } from "../../model/in-turn.ts";
import type { Json } from "../../model/json.ts";
import type { LearnedStore } from "../../model/learned.ts";
import type { Ledger } from "../../model/ledger.ts";

export interface DayCounter {
  /** Reads what was counted before. Call it before every use; it reads once. */
  load(): Promise<void>;
  /** Call it once an hour, while polls are not slowed down. `estimatesOf`: the estimates since a moment, by watch id. */
  take(estimatesOf: (sinceMs: number) => ReadonlyMap<string, HourEstimate>, nowMs: number): Promise<void>;
  ratioOf(watchId: string): number | undefined;
}

export type HourEstimate = Pick<CountedHour, "estimate" | "expected">;

const SCOPE = "counted_days";
/** What was counted of a watch that was not polled for so long is dropped. */
const KEEP_MS = 30 * 86_400_000;

export function createDayCounter(ledger: Pick<Ledger, "spentSince">, store: LearnedStore): DayCounter {
  const known = new Map<string, CountedDays>();
  return {
    load: untilDone(async () => {
      for (const [id, days] of await store.loadLearned(SCOPE)) known.set(id, days as unknown as CountedDays);
    }),
    async take(estimatesOf, nowMs) {
      const lastMs = [...known.values()].reduce((last, one) => Math.max(last, one.lastMs), 0);
      const sinceMs = lastMs === 0 ? nowMs : lastMs;
      const { lines } = await ledger.spentSince(sinceMs);
      const spent = new Map<string, number>();
      for (const { watch, requests } of lines) spent.set(watch, (spent.get(watch) ?? 0) + requests);
      const changes = new Map<string, Json | null>();
      for (const [id, estimate] of estimatesOf(sinceMs)) {
        // Most watches of a large configuration are polled rarely: no row for them.
        if (!known.has(id) && !isCountable(estimate.estimate)) continue;
        const days = countHour(known.get(id), { ...estimate, requests: spent.get(id) ?? 0, nowMs });
        known.set(id, days);
        changes.set(id, days as unknown as Json);
      }
      for (const [id, days] of known) {
        if (nowMs - days.lastMs <= KEEP_MS) continue;
        known.delete(id);
        changes.set(id, null);
      }
      await store.saveLearned(SCOPE, changes);
    },
    ratioOf: (watchId) => known.get(watchId)?.ratio,
  };
}

/** The ratios that daemons on this state have counted. */
export async function readRatios(store: LearnedStore): Promise<DayCounter["ratioOf"]> {
  const counted = await store.loadLearned(SCOPE);
  return (watchId) => (counted.get(watchId) as unknown as CountedDays | undefined)?.ratio;
}
