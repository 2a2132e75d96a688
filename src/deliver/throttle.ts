/** Who goes out alone, who goes into the digest and who waits, when messages of one key come too fast. Pure; loses nothing. */
import type { DueGroup } from "../model/outbox.ts";
import type { Throttle } from "../route/route.ts";

export interface ThrottlePlan {
  /** One message each. */
  readonly alone: readonly DueGroup[];
  /** One message together. */
  readonly digest: readonly DueGroup[];
  /** Not before `untilMs`: then they are the digest. */
  readonly later: readonly DueGroup[];
  readonly untilMs: number;
}

/** `sealedAtMs`: messages of this key so far, oldest first, reaching back one interval before the oldest of `groups`. */
export function planThrottle(groups: readonly DueGroup[], throttle: Throttle, sealedAtMs: readonly number[], nowMs: number): ThrottlePlan {
  const recent = sealedAtMs.filter((atMs) => atMs > nowMs - throttle.intervalMs);
  const free = throttle.limit - recent.length;
  if (free <= 0) {
    const blocking = recent[recent.length - throttle.limit] ?? nowMs;
    return { alone: [], digest: [], later: groups, untilMs: blocking + throttle.intervalMs };
  }
  const digest: DueGroup[] = [];
  const fresh: DueGroup[] = [];
  for (const group of groups) (wasPutOff(detectedAt(group), throttle, sealedAtMs) ? digest : fresh).push(group);
  const alone = fresh.slice(0, free - Math.min(digest.length, 1));
  return { alone, digest, later: fresh.slice(alone.length), untilMs: (recent[0] ?? nowMs) + throttle.intervalMs };
}

/**
 * Whether the limit was reached when this was detected or at some time since. Nobody remembers what was put off: the answer must
 * survive a restart, so it is read from what was sealed.
 */
function wasPutOff(detectedAtMs: number, throttle: Throttle, sealedAtMs: readonly number[]): boolean {
  const isFullAt = (momentMs: number) =>
    sealedAtMs.filter((atMs) => atMs > momentMs - throttle.intervalMs && atMs <= momentMs).length >= throttle.limit;
  const lastFullMs = sealedAtMs.findLast(
    (atMs, index) => atMs - (sealedAtMs[index - throttle.limit + 1] ?? -Infinity) < throttle.intervalMs,
  );
  return (lastFullMs !== undefined && lastFullMs >= detectedAtMs) || isFullAt(detectedAtMs);
}

const detectedAt = (group: DueGroup): number => Math.min(...group.members.map(({ event }) => event.detectedAtMs));

/** How far back `sealedAtMs` must reach. */
export function historySince(groups: readonly DueGroup[], throttle: Throttle, nowMs: number): number {
  const oldestMs = Math.min(nowMs, ...groups.map(detectedAt));
  return Math.max(oldestMs, nowMs - LONGEST_HISTORY_MS) - throttle.intervalMs;
}

const LONGEST_HISTORY_MS = 86_400_000;
