/** Work that is done again and again: one after the other, so long apart, until it is stopped. */
import type { Cancel, Clock } from "../../model/clock.ts";

export interface RepeatOptions {
  readonly clock: Clock;
  /** From now to the first time, and from the end of one to the next. */
  readonly everyMs: number;
  /** Instead, until the first time. */
  readonly firstAfterMs?: number;
  readonly work: () => Promise<unknown>;
  readonly onError: (error: unknown) => void;
}

/** Returns what stops it: what is under way finishes, and nothing follows it. */
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
