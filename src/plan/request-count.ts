/**
 * How many requests a group takes, counted while it runs: rates alone do not tell how much bursts save, nor what moves in profiles without a
 * post, so that a plan foretells by what was asked, where that is known. Pure.
 */

export interface RequestCount {
  readonly sinceMs: number;
  /** Since then. */
  readonly requests: number;
  readonly lastMs: number;
  /** Undefined until a whole day was counted. */
  readonly perDay?: number;
}

const DAY_MS = 86_400_000;
/** While rates and pace are learned, requests say nothing of those to come: on their first day a thousand accounts take 4% more. */
const LEARNING_MS = DAY_MS;
/** After a longer pause, such as a stop of the daemon, a day is counted anew. */
const LONGEST_PAUSE_MS = 7_200_000;
/** The same where runs are further apart than that. */
const LONGEST_PAUSE_RUNS = 2;
/** What the latest day counts for, against all before it. */
const LATEST = 0.3;

/** Days are counted whole, because hours differ. `intervalMs`: from one run to the next. */
export function countRequests(count: RequestCount | undefined, requests: number, nowMs: number, intervalMs: number): RequestCount {
  if (count === undefined) return { sinceMs: nowMs + LEARNING_MS, requests: 0, lastMs: nowMs };
  if (nowMs - count.lastMs > Math.max(LONGEST_PAUSE_MS, LONGEST_PAUSE_RUNS * intervalMs))
    return { ...count, sinceMs: nowMs, requests, lastMs: nowMs };
  const passedMs = nowMs - count.sinceMs;
  if (passedMs < 0) return { ...count, lastMs: nowMs };
  if (passedMs < DAY_MS) return { ...count, requests: count.requests + requests, lastMs: nowMs };
  const latest = (count.requests * DAY_MS) / passedMs;
  return {
    sinceMs: nowMs,
    requests,
    lastMs: nowMs,
    perDay: count.perDay === undefined ? latest : (1 - LATEST) * count.perDay + LATEST * latest,
  };
}

/** Of a group while it has so many accounts: with others it is another one. */
export const countKey = (groupKey: string, members: number, what: "probes" | "reads"): string => `${groupKey}/${members}/${what}`;
