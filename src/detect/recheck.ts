/** When a fresh tweet is rechecked, and what a recheck means. Pure. */

export interface RecheckTimes {
  readonly everyMs: number;
  /** After the tweet's creation. */
  readonly untilMs: number;
}

/**
 * The next look: at multiples of the interval, so that tweets found one by one share their
 * requests.
 */
export const nextRecheckMs = (nowMs: number, everyMs: number): number =>
  (Math.floor(nowMs / everyMs) + 1) * everyMs;

/** First look and last moment of a tweet; undefined when it is too old for even one look. */
export function recheckTimes(
  createdAtMs: number,
  nowMs: number,
  times: RecheckTimes,
): { readonly dueAtMs: number; readonly untilMs: number } | undefined {
  const untilMs = createdAtMs + times.untilMs;
  const dueAtMs = nextRecheckMs(nowMs, times.everyMs);
  return dueAtMs <= untilMs ? { dueAtMs, untilMs } : undefined;
}

/** One answer may lack a tweet by mistake. */
const ABSENCES_TO_GO = 2;

/** How many answers in a row were without it, and whether that makes it gone. */
export function countAbsence(absences: number): {
  readonly absences: number;
  readonly isGone: boolean;
} {
  return { absences: absences + 1, isGone: absences + 1 >= ABSENCES_TO_GO };
}

/**
 * An answer that has none of several tweets is a suspicious empty response: it does not say that
 * all of them are gone.
 */
export const isSuspiciousAnswer = (asked: number, found: number): boolean =>
  asked > 1 && found === 0;
