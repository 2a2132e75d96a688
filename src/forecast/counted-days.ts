/**
 * Compares the requests that the ledger counted for a watch with the estimate for the same days.
 * Forecasts of the watch, also with changed settings, are scaled by the ratio of the two. Pure; the
 * engine reads the ledger and stores the figures.
 */

export interface CountedDays {
  /**
   * When the current day of counting began, in epoch ms. A time in the future means that counting
   * waits until the first reads are over.
   */
  readonly sinceMs: number;
  /** The counted requests of the current day. */
  readonly requests: number;
  /** The estimated requests for the hours counted so far in the current day. */
  readonly expected: number;
  readonly lastMs: number;
  /** The estimated requests of an average day. If it changes, the plan has changed. */
  readonly estimate: number;
  /**
   * The counted requests divided by the estimate, averaged over whole days; undefined before the
   * first whole day.
   */
  readonly ratio?: number;
  /**
   * The number of whole days of the current plan that were counted. After a change of the plan it
   * is 0 until a day of the new plan is complete.
   */
  readonly days: number;
}

export interface CountedHour {
  readonly estimate: number;
  /** The estimated requests since the last count. */
  readonly expected: number;
  /** The counted requests since the last count. */
  readonly requests: number;
  readonly nowMs: number;
}

const DAY_MS = 86_400_000;
/** The first hour is not counted, because it contains the first reads. */
const FIRST_READS_MS = 3_600_000;
/**
 * The longest time between two counts. After a longer one, for example because the daemon was
 * stopped, the day begins again.
 */
const MAX_PAUSE_MS = 7_200_000;
/**
 * The maximum weight, in days, of the days before. It makes old days count less and less, because
 * behaviour changes.
 */
const MAX_DAYS = 10;
/**
 * The minimum number of expected requests in a day from which a ratio is computed. A watch with a
 * weekly schedule, for example, has too few.
 */
const MIN_EXPECTED = 10;
/**
 * The largest relative change of the estimate that does not count as a new plan. Estimates also
 * change because a list grows.
 */
const SAME_PLAN = 0.1;

/** Whether a day with this estimate is large enough to be counted. */
export const isCountable = (estimate: number): boolean => estimate >= MIN_EXPECTED;

export function countHour(
  known: CountedDays | undefined,
  { estimate, expected, requests, nowMs }: CountedHour,
): CountedDays {
  const begun = { requests: 0, expected: 0, estimate, lastMs: nowMs };
  if (known === undefined) return { ...begun, sinceMs: nowMs + FIRST_READS_MS, days: 0 };
  if (Math.abs(estimate - known.estimate) > SAME_PLAN * known.estimate)
    return { ...known, ...begun, sinceMs: nowMs + FIRST_READS_MS, days: 0 };
  if (nowMs - known.lastMs > MAX_PAUSE_MS || nowMs < known.lastMs)
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
