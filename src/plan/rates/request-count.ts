/**
 * How many requests a group takes, counted while it runs: rates alone do not show how much bursts save, so that a plan predicts by what
 * was asked too, as far as chance allows. Pure.
 */

/** What whole days took. */
export interface Counted {
  readonly perDay: number;
  /** Over so many days, the last of them at most `MOST_DAYS`. */
  readonly days: number;
}

export interface RequestCount {
  readonly sinceMs: number;
  /** Since then. */
  readonly requests: number;
  readonly lastMs: number;
  /** Undefined until a whole day was counted. */
  readonly counted?: Counted;
}

const DAY_MS = 86_400_000;
/** While rates and pace are learned, requests say nothing of those to come. */
const LEARNING_MS = DAY_MS;
/** After a longer pause, such as a stop of the daemon, a day is counted anew. */
const LONGEST_PAUSE_MS = 7_200_000;
/** The same where runs are further apart than that. */
const LONGEST_PAUSE_RUNS = 2;
/** Behaviour changes: what was counted before them counts less with each new day. */
const MOST_DAYS = 10;

/** What is longer is no wait for the next run. `intervalMs`: from one run to the next. */
export const longestPauseMs = (intervalMs: number): number => Math.max(LONGEST_PAUSE_MS, LONGEST_PAUSE_RUNS * intervalMs);

export interface CountRhythm {
  /** From one run to the next. */
  readonly intervalMs: number;
  /** Nothing is counted for so long. */
  readonly learningMs?: number;
}

/** Days are counted whole, because hours differ. */
export function countRequests(
  count: RequestCount | undefined,
  requests: number,
  nowMs: number,
  { intervalMs, learningMs = LEARNING_MS }: CountRhythm,
): RequestCount {
  if (count === undefined) return { sinceMs: nowMs + learningMs, requests: 0, lastMs: nowMs };
  if (nowMs - count.lastMs > longestPauseMs(intervalMs)) return { ...count, sinceMs: nowMs, requests, lastMs: nowMs };
  const passedMs = nowMs - count.sinceMs;
  if (passedMs < 0) return { ...count, lastMs: nowMs };
  if (passedMs < DAY_MS) return { ...count, requests: count.requests + requests, lastMs: nowMs };
  const latest = (count.requests * DAY_MS) / passedMs;
  return { sinceMs: nowMs, requests, lastMs: nowMs, counted: withDay(count.counted, latest) };
}

function withDay(known: Counted | undefined, requests: number): Counted {
  if (known === undefined) return { perDay: requests, days: 1 };
  const days = Math.min(known.days + 1, MOST_DAYS);
  return { perDay: known.perDay + (requests - known.perDay) / days, days };
}

/**
 * A count of so many days is as good as the model. A day's count is chance, by 3% to 7% whatever the size of the group. The model is off by
 * about half of that where posts come as it takes them to, and by a tenth where their bursts are others.
 */
const WORTH_OF_MODEL_DAYS = 1.5;

/** What is counted: probes of many accounts, and reads of what moved. */
export type CountedKind = "probes" | "reads";

/** Requests a day by the model and by the count, each by what it is worth. */
export function weigh(modelledPerDay: number, counted: Counted | undefined): number {
  if (counted === undefined) return modelledPerDay;
  const { perDay, days } = counted;
  return modelledPerDay + ((perDay - modelledPerDay) * days) / (days + WORTH_OF_MODEL_DAYS);
}
