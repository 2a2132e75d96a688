/** Decides when a fresh tweet is rechecked, and when missing answers mean that it is gone. Pure. */

export interface RecheckTimes {
  readonly everyMs: number;
  /** The age of the tweet, in ms, at which its rechecks end. */
  readonly untilMs: number;
}

/**
 * Returns the time of the next recheck, a multiple of the interval, so that tweets that were found
 * one by one share their requests.
 */
export const nextRecheckMs = (nowMs: number, everyMs: number): number =>
  (Math.floor(nowMs / everyMs) + 1) * everyMs;

/**
 * Returns the times of a tweet's first recheck and of the end of its rechecks; undefined if it is
 * too old for even one.
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
 * A tweet is gone after this many answers without it, because a single answer may lack it by
 * mistake.
 */
const ABSENCES_TO_GO = 2;

/**
 * Returns how many answers in a row were without the tweet, and whether that means that it is gone.
 */
export function countAbsence(absences: number): {
  readonly absences: number;
  readonly isGone: boolean;
} {
  return { absences: absences + 1, isGone: absences + 1 >= ABSENCES_TO_GO };
}

/**
 * Whether an answer has none of several requested tweets. That is a suspicious empty response,
 * which does not show that they are gone.
 */
export const isSuspiciousAnswer = (asked: number, found: number): boolean =>
  asked > 1 && found === 0;
