/**
 * Decides whether a watch has more events than usual, or none. Pure. Time that was not observed (a
 * paused watch, an outage of the service, a daemon that was off) counts neither as usual nor as
 * silent.
 */
import type { TimeSpan } from "../model/volume-store.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** The number of days from which the usual count is learned. */
const LEARNED_DAYS = 14;
/** The minimum number of observed days from which a usual count is computed. */
const DAYS_TO_LEARN = 3;
/** The maximum number of windows since the last spike that are checked for its end. */
const MAX_WINDOWS_BACK = 24;

/** The time in which a watch was observed: from `sinceMs` to `okMs`, without the gaps. */
export interface Watched {
  readonly sinceMs: number;
  readonly okMs: number;
  readonly gaps: readonly TimeSpan[];
}

/**
 * Records a successful poll at `nowMs`. If it comes later than `maxApartMs` after the last one, the
 * time between is a gap.
 */
export function watchedOn(
  watched: Watched | undefined,
  nowMs: number,
  maxApartMs: number,
): Watched {
  if (watched === undefined) return { sinceMs: nowMs, okMs: nowMs, gaps: [] };
  const isGap = nowMs - watched.okMs > maxApartMs;
  const gaps = isGap ? [...watched.gaps, { fromMs: watched.okMs, toMs: nowMs }] : watched.gaps;
  return {
    ...watched,
    okMs: nowMs,
    gaps: gaps.filter(({ toMs }) => toMs > nowMs - (LEARNED_DAYS + 1) * DAY_MS),
  };
}

/** Returns how much of a period was observed, in ms. */
export function watchedMs({ gaps }: Watched, fromMs: number, toMs: number): number {
  const missed = gaps.reduce(
    (sum, gap) => sum + Math.max(0, Math.min(gap.toMs, toMs) - Math.max(gap.fromMs, fromMs)),
    0,
  );
  return Math.max(0, toMs - fromMs - missed);
}

/**
 * Returns spans of time that end at the same time of day on earlier days. Each lasts an hour, or as
 * long as the window if that is longer. Only spans that were observed completely since learning
 * began are included. If there are too few of them, returns none.
 */
export function usualSpans(
  watched: Watched,
  learningSinceMs: number,
  nowMs: number,
  windowMs: number,
): readonly TimeSpan[] {
  const widthMs = Math.max(windowMs, HOUR_MS);
  const days = Array.from({ length: LEARNED_DAYS }, (_, day) => nowMs - (day + 1) * DAY_MS);
  const spans = days.map((toMs) => ({ fromMs: toMs - widthMs, toMs }));
  const seen = spans.filter(
    ({ fromMs, toMs }) => fromMs >= learningSinceMs && watchedMs(watched, fromMs, toMs) === widthMs,
  );
  return seen.length < DAYS_TO_LEARN ? [] : seen;
}

/** Returns the number of events in one window on an ordinary day at this hour. */
export function usualCount(
  spans: readonly TimeSpan[],
  counts: readonly number[],
  windowMs: number,
): number {
  const widthMs = Math.max(windowMs, HOUR_MS);
  return (counts.reduce((sum, count) => sum + count, 0) / spans.length) * (windowMs / widthMs);
}

/** Returns the smallest number of events in one window that counts as a spike. */
export const spikeLimit = (
  usual: number,
  rule: { readonly factor: number; readonly min: number },
): number => Math.max(rule.min, rule.factor * usual);

/**
 * Returns the complete windows since the last spike, the newest last. One of them must have been
 * below the limit before the next spike is reported.
 */
export function windowsSince(
  spikeMs: number,
  nowMs: number,
  windowMs: number,
): readonly TimeSpan[] {
  const count = Math.min(MAX_WINDOWS_BACK, Math.floor((nowMs - spikeMs) / windowMs));
  return Array.from({ length: count }, (_, i) => nowMs - (count - 1 - i) * windowMs).map(
    (toMs) => ({ fromMs: toMs - windowMs, toMs }),
  );
}
