/** What rechecks of fresh tweets cost a day: a hundred tweets a request, over all watches whose rechecks fall together. Pure. */
import { BATCH_SIZE } from "../model/batch.ts";
import type { Watch } from "../model/watch.ts";
import { sum } from "../plan/sum.ts";
import { commonMultiple } from "../plan/polls/tick-grid.ts";

const DAY_MS = 86_400_000;

export interface RecheckCost {
  readonly requestsPerDay: number;
  /** Split among the watches of a recheck by how many tweets each follows, so that parts add up. */
  readonly byWatch: ReadonlyMap<string, number>;
}

export const NO_RECHECKS: RecheckCost = { requestsPerDay: 0, byWatch: new Map() };

type Following = Pick<Watch, "id" | "recheck">;

/** `freshOf`: tweets of a watch that are fresh at once; undefined where that is not known: then a recheck is a request, as long as it holds all. */
export function recheckCost(
  watches: readonly Following[],
  freshOf: (watchId: string) => number | undefined = () => undefined,
): RecheckCost {
  const byInterval = new Map<number, string[]>();
  for (const { id, recheck } of watches)
    if (recheck !== undefined) byInterval.set(recheck.everyMs, [...(byInterval.get(recheck.everyMs) ?? []), id]);
  const byWatch = new Map([...byInterval.values()].flat().map((id) => [id, 0]));
  for (const { intervalsMs, timesPerDay } of recheckBatchesOf([...byInterval.keys()])) {
    const ids = intervalsMs.flatMap((everyMs) => byInterval.get(everyMs) ?? []);
    const requests = timesPerDay * requestsOf(ids.map(freshOf));
    const weights = ids.map((id) => Math.max(freshOf(id) ?? 1, LEAST_WEIGHT));
    const all = sum(weights, (weight) => weight);
    for (const [index, id] of ids.entries()) byWatch.set(id, (byWatch.get(id) ?? 0) + (requests * (weights[index] ?? 0)) / all);
  }
  return { requestsPerDay: sum([...byWatch.values()], (requests) => requests), byWatch };
}

/** Who follows nothing at the moment may follow something tomorrow. */
const LEAST_WEIGHT = 0.01;

interface RecheckBatch {
  /** Whose multiples fall on it. */
  readonly intervalsMs: readonly number[];
  readonly timesPerDay: number;
}

/** Looks happen at multiples of each interval: where several meet, they are one. */
function recheckBatchesOf(intervalsMs: readonly number[]): readonly RecheckBatch[] {
  const batches = new Map<string, { readonly intervalsMs: readonly number[]; timesPerDay: number }>();
  const ascending = [...intervalsMs].sort((a, b) => a - b);
  const spanMs = ascending.reduce((span, everyMs) => Math.min(MOST_SPAN_MS, commonMultiple(span, everyMs)), 1);
  for (const [index, everyMs] of ascending.entries()) {
    const shorter = ascending.slice(0, index);
    for (let atMs = everyMs; atMs <= spanMs; atMs += everyMs) {
      if (shorter.some((other) => atMs % other === 0)) continue;
      const meeting = ascending.slice(index).filter((other) => atMs % other === 0);
      const batch = batches.get(meeting.join()) ?? { intervalsMs: meeting, timesPerDay: 0 };
      batch.timesPerDay += DAY_MS / spanMs;
      batches.set(meeting.join(), batch);
    }
  }
  return [...batches.values()];
}

/** Longer ones add little. */
const MOST_SPAN_MS = 14 * DAY_MS;

/** Expected requests of a recheck, by the tweets each of its watches follows: none where nothing is fresh, another for each hundred begun. */
function requestsOf(fresh: readonly (number | undefined)[]): number {
  const known = sum(fresh, (one) => one ?? 0);
  let requests = 1 - Math.exp(-known);
  for (let full = BATCH_SIZE; full < known + 12 * Math.sqrt(known) + 1; full += BATCH_SIZE) requests += chanceOver(full, known);
  return fresh.includes(undefined) ? Math.max(1, requests) : requests;
}

/** That a number which varies by chance around `mean` is greater: posts in bursts of two on average vary twice as far as single ones. */
const chanceOver = (limit: number, mean: number): number => 1 / (1 + Math.exp((LOGISTIC * (limit + 0.5 - mean)) / (2 * Math.sqrt(mean))));
/** Of the logistic curve that comes closest to the normal one. */
const LOGISTIC = 1.702;
