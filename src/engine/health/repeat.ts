/** Work that is done again and again: one after the other, so long apart, until it is stopped. */
import type { Cancel, Clock } from "../../model/clock.ts";

export interface Repeated {
  start(): void;
  /** What is under way finishes; nothing follows it. */
  stop(): void;
}

export interface RepeatOptions {
  readonly clock: Clock;
  /** From the start to the first time, and from the end of one to the next. */
  readonly everyMs: number;
  /** Instead, until the first time. */
  readonly firstAfterMs?: number;
  readonly work: () => Promise<unknown>;
  readonly onError: (error: unknown) => void;
}

export function createRepeated({ clock, everyMs, firstAfterMs = everyMs, work, onError }: RepeatOptions): Repeated {
  let cancel: Cancel | undefined;
  let isStopped = false;
  const arm = (waitMs: number) => {
    cancel = clock.after(waitMs, () => {
      void work()
        .catch(onError)
        .finally(() => {
          if (!isStopped) arm(everyMs);
        });
    });
  };
  return {
    start: () => arm(firstAfterMs),
    stop() {
      isStopped = true;
      cancel?.();
    },
  };
}
