/**
 * How many probes freshness takes of a group, counted while it runs: rates alone do not tell how much bursts save, so that a plan foretells
 * by what was asked, where that is known. Pure.
 */

export interface ProbeCount {
  readonly sinceMs: number;
  /** Requests since then. */
  readonly probes: number;
  readonly lastMs: number;
  /** Undefined until a whole day was counted. */
  readonly perDay?: number;
}

const DAY_MS = 86_400_000;
/** While the pace is learned, probes say nothing of those to come. */
const LEARNING_MS = 21_600_000;
/** After a longer pause, such as a stop of the daemon, a day is counted anew. */
const LONGEST_PAUSE_MS = 7_200_000;

/** Days are counted whole, because hours differ. */
export function countProbes(count: ProbeCount | undefined, probes: number, nowMs: number): ProbeCount {
  if (count === undefined) return { sinceMs: nowMs + LEARNING_MS, probes: 0, lastMs: nowMs };
  if (nowMs - count.lastMs > LONGEST_PAUSE_MS) return { ...count, sinceMs: nowMs, probes, lastMs: nowMs };
  const passedMs = nowMs - count.sinceMs;
  if (passedMs < 0) return { ...count, lastMs: nowMs };
  if (passedMs < DAY_MS) return { ...count, probes: count.probes + probes, lastMs: nowMs };
  const latest = (count.probes * DAY_MS) / passedMs;
  return { sinceMs: nowMs, probes, lastMs: nowMs, perDay: count.perDay === undefined ? latest : (count.perDay + latest) / 2 };
}

/** Of a group while it has so many accounts: with others it is another one. */
export const probesKey = (groupKey: string, members: number): string => `${groupKey}/${members}`;
