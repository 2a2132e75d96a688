/**
 * Counts the requests of each watch per hour, from the ledger, so that the forecast can be compared
 * with them. `forecast/counted-days.ts` decides when a day counts.
 */
import {
  type CountedDays,
  type CountedHour,
  countHour,
  isCountable,
} from "../../forecast/counted-days.ts";
import { LearnedValues } from "../../groups/memory/learned-values.ts";
import type { Clock } from "../../model/clock.ts";
import type { LearnedStore } from "../../model/learned.ts";
import type { Ledger } from "../../model/ledger.ts";

export type HourEstimate = Pick<CountedHour, "estimate" | "expected">;

const SCOPE = "counted_days";
/** Counts of a watch that was not polled for this long are dropped. */
const KEEP_MS = 30 * 86_400_000;

export class DayCounter {
  readonly #ledger: Pick<Ledger, "spentSince">;
  readonly #known: LearnedValues<CountedDays>;

  constructor(ledger: Pick<Ledger, "spentSince">, store: LearnedStore, clock: Clock) {
    this.#ledger = ledger;
    this.#known = new LearnedValues<CountedDays>({ scope: SCOPE, store, clock, writeEveryMs: 0 });
  }

  /**
   * Loads stored counts. It is called before every use, and only the first call reads the state.
   */
  load(): Promise<void> {
    return this.#known.load();
  }

  /** Reads the counts again, because another replica writes them. */
  reload(): Promise<void> {
    return this.#known.reload();
  }

  /**
   * Counts the requests since the last call. Called once an hour, but not while polls are slowed
   * down. `estimatesOf` returns the estimates for the time since `sinceMs`, by watch id.
   */
  async countRequests(
    estimatesOf: (sinceMs: number) => ReadonlyMap<string, HourEstimate>,
    nowMs: number,
  ): Promise<void> {
    const lastMs = this.#known.entries().reduce((last, [, days]) => Math.max(last, days.lastMs), 0);
    const sinceMs = lastMs === 0 ? nowMs : lastMs;
    const { lines } = await this.#ledger.spentSince(sinceMs);
    const spent = new Map<string, number>();
    for (const { watch, requests } of lines) spent.set(watch, (spent.get(watch) ?? 0) + requests);
    for (const [id, estimate] of estimatesOf(sinceMs)) {
      const known = this.#known.get(id);
      // Most watches of a large configuration are polled too rarely to be counted, so no row is
      // stored for them.
      if (known === undefined && !isCountable(estimate.estimate)) continue;
      this.#known.put(id, countHour(known, { ...estimate, requests: spent.get(id) ?? 0, nowMs }));
    }
    for (const [id, days] of this.#known.entries())
      if (nowMs - days.lastMs > KEEP_MS) this.#known.delete(id);
    await this.#known.flush();
  }

  readonly ratioOf = (watchId: string): number | undefined => this.#known.get(watchId)?.ratio;
}

/**
 * Reads the ratios between counted and estimated requests, by watch id, which daemons on this state
 * have stored.
 */
export async function readRatios(store: LearnedStore): Promise<DayCounter["ratioOf"]> {
  const counted = await store.loadLearned(SCOPE);
  return (watchId) => (counted.get(watchId) as unknown as CountedDays | undefined)?.ratio;
}
