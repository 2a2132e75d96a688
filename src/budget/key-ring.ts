/**
 * Decides which of several keys may pay. A key that the service refuses, or does not answer, is
 * suspended and tried again at intervals. Pure: the caller provides the time (monotonic ms), makes
 * the requests and alerts the operator.
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
  /** Returns those of `keys` that may pay now, in their order. */
  usable(keys: readonly string[]): readonly string[];
  /** Suspends a key. A key on trial keeps the time at which it was first refused. */
  suspend(key: string, because: SuspensionReason, nowMs: number): void;
  /**
   * Returns suspended keys that are due for a probe: each once an hour, a failing one every five
   * minutes.
   */
  claimProbes(nowMs: number): readonly string[];
  /** Lets a key pay again, on trial: only an answer that it paid for ends the suspension. */
  tryAgain(key: string): void;
  /**
   * Ends a suspension, because the key paid for an answer to a request sent at that time. Returns
   * false if the request was sent before the key was refused, because its late answer does not show
   * that the key pays now.
   */
  paid(key: string, sentAtMs: number): boolean;
  /** Keys that were refused and are not back yet, including those on trial. */
  readonly suspended: readonly SuspendedKey[];
  /** Forgets every refusal, because the active keys have changed. */
  reset(): void;
}

/**
 * How long after a refusal a key is probed. People take some time to pay or to change a key; other
 * failures often end soon.
 */
const PROBE_EVERY_MS: Readonly<Record<SuspensionReason, number>> = {
  billing: 3_600_000,
  unauthorized: 3_600_000,
  failing: 300_000,
};

interface Refusal {
  readonly because: SuspensionReason;
  readonly sinceMs: number;
  /** When it was last refused. */
  readonly lastMs: number;
  readonly probeAtMs: number;
  readonly isOnTrial: boolean;
}

/**
 * Creates a key ring. It is empty after a restart, which is right: the first request of each key is
 * its trial.
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
