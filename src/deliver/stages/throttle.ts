/**
 * Who goes out alone and who is gathered for a digest, when messages of one key come too fast.
 * Pure; loses nothing.
 */
import type { ThrottleState } from "../../model/outbox.ts";
import type { Throttle } from "../../route/route.ts";

/** What is due under one throttle, counted in messages. */
export interface DueCounts {
  /** Not gathered so far. */
  readonly fresh: number;
  /** In the digest that is due now; 0 when none is. */
  readonly gathered: number;
}

export interface ThrottlePlan {
  /** False: what was gathered is so little that it goes out alone. */
  readonly isDigest: boolean;
  /** How many of the fresh ones go out alone, the oldest first. */
  readonly alone: number;
  /** When the digest is due that takes the others; undefined when there are none. */
  readonly gatherUntilMs?: number;
  /** The channel has not heard yet that alerts are gathered. */
  readonly isFirst: boolean;
}

/**
 * A digest counts as one message and goes out even when the limit is reached: that is what
 * `digest_interval` allows. While digests follow one another everything goes into them, until one
 * would be no longer than what the limit has left.
 */
export function planThrottle(
  throttle: Throttle,
  state: ThrottleState,
  due: DueCounts,
  nowMs: number,
): ThrottlePlan {
  const left = throttle.limit - state.sealed;
  const isDigest = due.gathered > Math.max(left, 0);
  const plan = { isDigest, alone: due.fresh, isFirst: false };
  if (due.fresh === 0) return plan;
  const lastDigestMs = isDigest ? nowMs : state.digestSealedAtMs;
  if (due.gathered === 0 && state.digestDueAtMs !== null)
    return { ...plan, alone: 0, gatherUntilMs: state.digestDueAtMs };
  const sinceDigestMs = lastDigestMs === null ? Number.POSITIVE_INFINITY : nowMs - lastDigestMs;
  if (sinceDigestMs < throttle.digestIntervalMs)
    return { ...plan, alone: 0, gatherUntilMs: nowMs - sinceDigestMs + throttle.digestIntervalMs };
  const free = Math.max(0, left - due.gathered);
  if (due.fresh <= free) return plan;
  // Within the interval the channel knows already that there are many: the next digest may go out
  // at once.
  const sinceAnnouncedMs =
    state.announcedAtMs === null ? Number.POSITIVE_INFINITY : nowMs - state.announcedAtMs;
  const isFirst = Math.min(sinceDigestMs, sinceAnnouncedMs) >= throttle.intervalMs;
  return {
    ...plan,
    alone: free,
    gatherUntilMs: isFirst ? nowMs + throttle.digestIntervalMs : nowMs,
    isFirst,
  };
}
