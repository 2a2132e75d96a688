/**
 * Which of several keys may pay: one the service refuses, or does not answer, is suspended, and
 * tried again now and then. Pure: the caller brings the time (monotonic ms), asks the service and
 * alerts the operator.
 */
import type { StopReason } from "./upstream-pacer.ts";

/** `failing`: it is not refused, and gets no answer all the same. */
export type SuspensionReason = StopReason | "failing";

export interface SuspendedKey {
  readonly key: string;
  readonly because: SuspensionReason;
  readonly sinceMs: number;
}

export interface KeyRing {
  /** Those of `keys` that may pay now, in their order. */
  usable(keys: readonly string[]): readonly string[];
  /** One that is on trial again keeps the time it was first refused at. */
  suspend(key: string, because: SuspensionReason, nowMs: number): void;
  /**
   * Suspended keys that have not been asked about for an hour; each is given once an hour, one that
   * fails every five minutes.
   */
  takeProbes(nowMs: number): readonly string[];
  /** May pay again, on trial: only an answer that it paid for brings it back. */
  tryAgain(key: string): void;
  /**
   * It paid for an answer to a request sent then: it is as good as any. False where the request was
   * under way when the key was refused: its answer, come late, says nothing of what the key pays
   * for now.
   */
  paid(key: string, sentAtMs: number): boolean;
  /** Refused and not yet back; those on trial included. */
  readonly suspended: readonly SuspendedKey[];
  /** Forgets every refusal: the active keys are others now. */
  reset(): void;
}

/** Who has to pay or to change a key takes his time; what fails is often mended soon. */
const PROBE_EVERY_MS: Readonly<Record<SuspensionReason, number>> = {
  billing: 3_600_000,
  unauthorized: 3_600_000,
  failing: 300_000,
};

interface Refusal {
  readonly because: SuspensionReason;
  readonly sinceMs: number;
  /** When it was refused last. */
  readonly lastMs: number;
  readonly probeAtMs: number;
  readonly isOnTrial: boolean;
}

/** All memory is lost at a restart, which is right: the first request of each key is its trial. */
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
    takeProbes(nowMs) {
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
