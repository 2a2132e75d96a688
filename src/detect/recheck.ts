/**
 * Decides when a fresh tweet is rechecked, and how many answers without the tweet show that it is
 * gone. Pure.
 */

export interface RecheckTimes {
  readonly everyMs: number;
  /** The age of the tweet, in ms, at which its rechecks end. */
  readonly untilMs: number;
}

/**
 * Returns the time of the next recheck, in epoch ms. It is a multiple of the interval, so that
 * tweets that were found at different times share requests.
 */
export const nextRecheckMs = (nowMs: number, everyMs: number): number =>
  (Math.floor(nowMs / everyMs) + 1) * everyMs;

/**
 * Returns the times of a tweet's first recheck and of the end of its rechecks, in epoch ms;
 * undefined if the tweet is too old for a recheck.
 */
export function recheckTimes(
  createdAtMs: number,
  nowMs: number,
  times: RecheckTimes,
): { readonly dueAtMs: number; readonly untilMs: number } | undefined {
  const untilMs = createdAtMs + times.untilMs;
  const dueAtMs = nextRecheckMs(nowMs, times.everyMs);
  return dueAtMs <= untilMs ? { dueAtMs, untilMs } : undefined;
}

/**
 * The number of answers in a row without a tweet after which it is gone. A single answer may lack
 * it by mistake.
 */
const ABSENCES_TO_GO = 2;

/**
 * Counts one more answer without the tweet. Returns how many there were in a row, and whether they
 * show that it is gone.
 */
export function countAbsence(absences: number): {
  readonly absences: number;
  readonly isGone: boolean;
} {
  return { absences: absences + 1, isGone: absences + 1 >= ABSENCES_TO_GO };
}

/**
 * Whether an answer contains none of several requested tweets. Such an answer is suspiciously empty
 * and does not show that they are gone.
 */
export const isSuspiciousAnswer = (asked: number, found: number): boolean =>
  asked > 1 && found === 0;
