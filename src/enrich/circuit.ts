/**
 * A circuit breaker: decides whether questions may be sent to an endpoint. After `MAX_FAILURES`
 * failures in a row it allows one question at a time, with growing pauses between questions.
 */
import { type Backoff, backoffAfter } from "../model/backoff.ts";
import type { Clock } from "../model/clock.ts";
import type { Random } from "../model/random.ts";

/** The number of failures in a row that open the circuit. */
const MAX_FAILURES = 5;
const STEPS_MS = [5_000, 10_000, 30_000, 60_000, 120_000, 300_000] as const;

export interface Circuit {
  /** Returns how many questions may be sent now, at most `most`. */
  allowed(most: number): number;
  /** Returns in how many milliseconds a question may be sent; 0 while the circuit is closed. */
  waitMs(): number;
  recordSuccess(): void;
  /** Forgets all failures, because the endpoint may be a different one. */
  reset(): void;
  /**
   * Records a failure. `afterMs` is how many milliseconds the endpoint asked to wait; undefined if
   * it did not say.
   */
  recordFailure(reason: string, afterMs: number | undefined): void;
  /**
   * The failures since the last success: when they began (monotonic ms), how many there were, and
   * the reason of the last one. Undefined if there was none.
   */
  readonly failing:
    | { readonly sinceMs: number; readonly count: number; readonly reason: string }
    | undefined;
}

export function createCircuit(clock: Clock, random: Random): Circuit {
  const backoff: Backoff = { stepsMs: STEPS_MS, jitter: { from: 0.9, to: 1.1, random } };
  let failing: { sinceMs: number; count: number; reason: string } | undefined;
  let openUntilMs = Number.NEGATIVE_INFINITY;
  const isOpen = () =>
    failing !== undefined && (failing.count >= MAX_FAILURES || openUntilMs > clock.monotonic());
  const waitMs = () => (isOpen() ? Math.max(0, openUntilMs - clock.monotonic()) : 0);
  const close = () => {
    failing = undefined;
    openUntilMs = Number.NEGATIVE_INFINITY;
  };
  return {
    allowed: (most) => (isOpen() ? (waitMs() > 0 ? 0 : 1) : most),
    waitMs,
    recordSuccess: close,
    reset: close,
    recordFailure(reason, afterMs) {
      const count = (failing?.count ?? 0) + 1;
      failing = { sinceMs: failing?.sinceMs ?? clock.monotonic(), count, reason };
      const pauseMs = count < MAX_FAILURES ? 0 : backoffAfter(backoff, count - MAX_FAILURES + 1);
      openUntilMs = Math.max(openUntilMs, clock.monotonic() + Math.max(pauseMs, afterMs ?? 0));
    },
    get failing() {
      return failing;
    },
  };
}
