/**
 * Repeats work until it is stopped. The next run starts a fixed time after the previous run has
 * ended.
 */
import type { Cancel, Clock } from "../../model/clock.ts";

export interface RepeatOptions {
  readonly clock: Clock;
  /** The wait before the first run, and between the end of a run and the next one. */
  readonly everyMs: number;
  /** The wait before the first run, if it differs from `everyMs`. */
  readonly firstAfterMs?: number;
  readonly work: () => Promise<unknown>;
  readonly onError: (error: unknown) => void;
}

/** Starts the repetition. Returns a function that stops it; a run under way still finishes. */
export function repeat({
  clock,
  everyMs,
  firstAfterMs = everyMs,
  work,
  onError,
}: RepeatOptions): Cancel {
  let cancel: Cancel | undefined;
  let isStopped = false;
  const arm = (waitMs: number) => {
    if (isStopped) return;
    cancel = clock.after(waitMs, () => {
      void work()
        .catch(onError)
        .finally(() => arm(everyMs));
    });
  };
  arm(firstAfterMs);
  return () => {
    isStopped = true;
    cancel?.();
  };
}
