/**
 * Whether events come faster than is usual, or not at all. Pure: counts and times in, yes or no
 * out. What was not checked (a paused watch, an outage of the service, a daemon that was off) is
 * neither usual nor silent.
 */
import type { TimeSpan } from "../model/volume-store.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Days that say what is usual. */
const LEARNED_DAYS = 14;
/** Fewer say nothing yet. */
const DAYS_TO_LEARN = 3;
/** Windows since the last spike that are asked whether it was over. */
const MOST_WINDOWS_BACK = 24;

/** What was checked: since when, until when, and when not. */
export interface Watched {
  readonly sinceMs: number;
  readonly okMs: number;
  readonly gaps: readonly TimeSpan[];
}

/**
 * Takes a good poll at `nowMs`: one that comes later than `mostApartMs` after the last leaves a
 * gap.
 */
export function watchedOn(
  watched: Watched | undefined,
  nowMs: number,
  mostApartMs: number,
): Watched {
  if (watched === undefined) return { sinceMs: nowMs, okMs: nowMs, gaps: [] };
  const isGap = nowMs - watched.okMs > mostApartMs;
  const gaps = isGap ? [...watched.gaps, { fromMs: watched.okMs, toMs: nowMs }] : watched.gaps;
  return {
    ...watched,
    okMs: nowMs,
    gaps: gaps.filter(({ toMs }) => toMs > nowMs - (LEARNED_DAYS + 1) * DAY_MS),
  };
}

/** How much of the time since then was checked. */
export function watchedMs({ gaps }: Watched, fromMs: number, toMs: number): number {
  const missed = gaps.reduce(
    (sum, gap) => sum + Math.max(0, Math.min(gap.toMs, toMs) - Math.max(gap.fromMs, fromMs)),
    0,
  );
  return Math.max(0, toMs - fromMs - missed);
}

/**
 * The same time of day on the days before, as far as it was checked from the learning's begin on;
 * an hour each, or the window where it is longer. Too few of them say nothing.
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

/** Events of one window, on an ordinary day at this hour. */
export function usualCount(
  spans: readonly TimeSpan[],
  counts: readonly number[],
  windowMs: number,
): number {
  const widthMs = Math.max(windowMs, HOUR_MS);
  return (counts.reduce((sum, count) => sum + count, 0) / spans.length) * (windowMs / widthMs);
}

/** How many events make a spike. */
export const spikeLimit = (
  usual: number,
  rule: { readonly factor: number; readonly min: number },
): number => Math.max(rule.min, rule.factor * usual);

/**
 * Whole windows since the last spike, the newest last: one of them must have been below the limit
 * before the next spike is reported.
 */
export function windowsSince(
  spikeMs: number,
  nowMs: number,
  windowMs: number,
): readonly TimeSpan[] {
  const count = Math.min(MOST_WINDOWS_BACK, Math.floor((nowMs - spikeMs) / windowMs));
  return Array.from({ length: count }, (_, i) => nowMs - (count - 1 - i) * windowMs).map(
    (toMs) => ({ fromMs: toMs - windowMs, toMs }),
  );
}
