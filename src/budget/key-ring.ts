/**
 * Decides which of several API keys may be used for requests. A key that the service refuses, or
 * that gets no answers, is suspended and probed at intervals. Pure: the caller provides the time
 * (monotonic ms), makes the requests and alerts the operator.
 */
import type { StopReason } from "./upstream-pacer.ts";

/** `failing`: the key is not refused, but gets no answers. */
export type SuspensionReason = StopReason | "failing";

export interface SuspendedKey {
  readonly key: string;
  readonly because: SuspensionReason;
  readonly sinceMs: number;
}

export interface KeyRing {
  /** Returns those of `keys` that may be used now, in the given order. */
  usable(keys: readonly string[]): readonly string[];
  /** Suspends a key. `sinceMs` of a key on trial stays the time at which it was first refused. */
  suspend(key: string, because: SuspensionReason, nowMs: number): void;
  /**
   * Returns the suspended keys that are due for a probe, and sets the time of their next one: after
   * an hour, or after five minutes for a failing key.
   */
  claimProbes(nowMs: number): readonly string[];
  /**
   * Lets a suspended key be used again, on trial: it stays in `suspended` until a request with it
   * is answered.
   */
  tryAgain(key: string): void;
  /**
   * Ends the suspension of a key with which a request was answered. Returns false and changes
   * nothing if the request was sent before the key was last refused: such a late answer does not
   * show that the key works now.
   */
  paid(key: string, sentAtMs: number): boolean;
  /** The keys that were refused and have answered no request since, including those on trial. */
  readonly suspended: readonly SuspendedKey[];
  /** Forgets every refusal, because the active keys have changed. */
  reset(): void;
}

/**
 * The time between two probes of a suspended key. People take some time to pay a bill or to change
 * a key; other failures often end soon.
 */
const PROBE_EVERY_MS: Readonly<Record<SuspensionReason, number>> = {
  billing: 3_600_000,
  unauthorized: 3_600_000,
  failing: 300_000,
};

interface Refusal {
  readonly because: SuspensionReason;
  readonly sinceMs: number;
  /** When the key was last refused. */
  readonly lastMs: number;
  readonly probeAtMs: number;
  readonly isOnTrial: boolean;
}

/**
 * Creates a key ring without suspended keys. Suspensions are not stored, so after a restart the
 * first request of each key shows whether it works.
 */
export function createKeyRing(): KeyRing {
  const refusals = new Map<string, Refusal>();
  return {
    usable: (keys) => keys.filter((key) => refusals.get(key)?.isOnTrial !== false),
    suspend(key, because, nowMs) {
      const sinceMs = refusals.get(key)?.sinceMs ?? nowMs;
      refusals.set(key, {
        because,
        sinceMs,
        lastMs: nowMs,
        probeAtMs: nowMs + PROBE_EVERY_MS[because],
        isOnTrial: false,
      });
    },
    claimProbes(nowMs) {
      const due = [...refusals].filter(
        ([, { isOnTrial, probeAtMs }]) => !isOnTrial && nowMs >= probeAtMs,
      );
      for (const [key, refusal] of due)
        refusals.set(key, { ...refusal, probeAtMs: nowMs + PROBE_EVERY_MS[refusal.because] });
      return due.map(([key]) => key);
    },
    tryAgain(key) {
      const refusal = refusals.get(key);
      if (refusal !== undefined) refusals.set(key, { ...refusal, isOnTrial: true });
    },
    paid(key, sentAtMs) {
      const refusal = refusals.get(key);
      if (refusal !== undefined && sentAtMs < refusal.lastMs) return false;
      refusals.delete(key);
      return true;
    },
    get suspended() {
      return [...refusals].map(([key, { because, sinceMs }]) => ({ key, because, sinceMs }));
    },
    reset: () => refusals.clear(),
  };
}
