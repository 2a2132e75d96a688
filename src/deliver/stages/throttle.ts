/**
 * Decides which messages are sent alone, and which are gathered for a digest because a throttle's
 * limit is reached. Pure; no message is lost.
 */
import type { ThrottleState } from "../../model/outbox.ts";
import type { Throttle } from "../../route/route.ts";

/** The messages that are due under one throttle. */
export interface DueCounts {
  /** Messages that were not gathered yet. */
  readonly fresh: number;
  /** Messages in the digest that is due now; 0 if none is due. */
  readonly gathered: number;
}

export interface ThrottlePlan {
  /**
   * Whether the gathered messages are sent as a digest. If there are only a few, each is sent
   * alone.
   */
  readonly isDigest: boolean;
  /** The number of fresh messages that are sent alone, beginning with the oldest. */
  readonly alone: number;
  /** When the digest with the other messages is due; undefined if there are none. */
  readonly gatherUntilMs?: number;
  /** Whether the channel must still get the message that announces the digest. */
  readonly isFirst: boolean;
}

/**
 * Plans which messages are sent now. A digest counts as one message, and is sent even if the limit
 * is reached, because `digest_interval` already limits how often digests are sent. After a digest,
 * every message waits for the next one, until a digest would contain no more messages than the
 * limit still allows.
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
  // Within the interval after an announcement or a digest, the channel already knows that there are
  // many alerts, so the next digest is due now.
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
