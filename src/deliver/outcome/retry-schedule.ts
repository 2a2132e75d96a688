/** Decides when a failed message is tried again and when it is given up. Pure. */
import { backoffAfter } from "../../model/backoff.ts";
import type { Random } from "../../model/random.ts";

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;

const STEPS_MS = [
  ...[1, 2, 5, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 4, 8, 12].map((count) => count * HOUR),
] as const;

/** The share by which each wait is randomly lengthened or shortened. */
const JITTER = 0.1;

export interface FailedAttempt {
  readonly nowMs: number;
  /** The number of failures that count for the schedule, including this one. */
  readonly failures: number;
  readonly firstAttemptAtMs: number;
  readonly retryForMs: number;
  /** The rest of the wait that the receiver asked for, in milliseconds. */
  readonly retryAfterMs?: number;
}

/**
 * Returns the time of the next attempt, in epoch ms; undefined if `retry_for` is over. The last
 * attempt is made when `retry_for` ends.
 */
export function nextAttemptAt(attempt: FailedAttempt, random: Random): number | undefined {
  const deadlineMs = attempt.firstAttemptAtMs + attempt.retryForMs;
  if (attempt.nowMs >= deadlineMs) return undefined;
  if (attempt.retryAfterMs !== undefined) return attempt.nowMs + attempt.retryAfterMs;
  const waitMs = backoffAfter(
    { stepsMs: STEPS_MS, jitter: { from: 1 - JITTER, to: 1 + JITTER, random } },
    attempt.failures,
  );
  return Math.min(attempt.nowMs + Math.round(waitMs), deadlineMs);
}
