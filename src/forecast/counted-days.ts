/**
 * The requests that the ledger counted for a watch, relative to the estimate for the same days.
 * Forecasts of the watch, and of changed plans, are scaled by this ratio. Pure; the engine reads
 * the ledger and stores the figures.
 */

export interface CountedDays {
  /**
   * Of the day under way: since when, what the ledger has, and what the estimate expects of these
   * hours.
   */
  readonly sinceMs: number;
  readonly requests: number;
  readonly expected: number;
  readonly lastMs: number;
  /** Requests of an average day; if it changes, the plan has changed. */
  readonly estimate: number;
  /** Requests of whole days for each that was estimated; undefined before the first. */
  readonly ratio?: number;
  /** Of the plan as it is: 0 after it was changed, until a day of it is whole. */
  readonly days: number;
}

export interface CountedHour {
  readonly estimate: number;
  /** Since the last one, by the estimate and by the ledger. */
  readonly expected: number;
  readonly requests: number;
  readonly nowMs: number;
}

const DAY_MS = 86_400_000;
/** First reads are no part of a day: they are made within minutes. */
const FIRST_READS_MS = 3_600_000;
/** After a longer pause, such as a stop of the daemon, counting of the day starts again. */
const LONGEST_PAUSE_MS = 7_200_000;
/** Older days count less and less, because behaviour changes. */
const MAX_DAYS = 10;
/** Fewer requests than this, as of a weekly schedule, are noise. */
const MIN_EXPECTED = 10;
/** A smaller change of the estimate, as by a list that grows, is not a new plan. */
const SAME_PLAN = 0.1;

/** Whether a day of so many requests counts. */
export const isCountable = (estimate: number): boolean => estimate >= MIN_EXPECTED;

export function countHour(
  known: CountedDays | undefined,
  { estimate, expected, requests, nowMs }: CountedHour,
): CountedDays {
  const begun = { requests: 0, expected: 0, estimate, lastMs: nowMs };
  if (known === undefined) return { ...begun, sinceMs: nowMs + FIRST_READS_MS, days: 0 };
  if (Math.abs(estimate - known.estimate) > SAME_PLAN * known.estimate)
    return { ...known, ...begun, sinceMs: nowMs + FIRST_READS_MS, days: 0 };
  if (nowMs - known.lastMs > LONGEST_PAUSE_MS || nowMs < known.lastMs)
    return { ...known, ...begun, sinceMs: nowMs };
  if (known.lastMs < known.sinceMs)
    return { ...known, sinceMs: Math.max(known.sinceMs, nowMs), lastMs: nowMs };
  const counted = {
    ...known,
    requests: known.requests + requests,
    expected: known.expected + expected,
    lastMs: nowMs,
  };
  if (nowMs - known.sinceMs < DAY_MS) return counted;
  return { ...withDay(counted), ...begun, sinceMs: nowMs };
}

function withDay(known: CountedDays): CountedDays {
  if (known.expected < MIN_EXPECTED) return known;
  const ratio = known.requests / known.expected;
  const days = Math.min(known.days + 1, MAX_DAYS);
  const before = known.ratio === undefined || days === 1 ? ratio : known.ratio;
  return { ...known, ratio: before + (ratio - before) / days, days };
}
