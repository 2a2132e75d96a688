/**
 * The waits of requests, which can all be ended early: when the request queue closes, or when
 * requests may be sent again sooner than expected.
 */
import type { Clock } from "../model/clock.ts";

export interface Pauses {
  wait(ms: number): Promise<void>;
  /** Ends all current waits. */
  endAll(): void;
  /** Ends all current waits. Later waits end at once. */
  close(): void;
}

/**
 * Creates pauses. Each wait has its own timer and they share no AbortSignal, because Node reports a
 * leak if one signal has dozens of listeners.
 */
export function createPauses(clock: Clock): Pauses {
  const underWay = new Set<() => void>();
  let isClosed = false;
  const endAll = () => {
    for (const done of [...underWay]) done();
  };
  return {
    wait: (ms) =>
      new Promise((resolve) => {
        const done = () => {
          cancel();
          underWay.delete(done);
          resolve();
        };
        const cancel = clock.after(ms, done);
        underWay.add(done);
        if (isClosed) done();
      }),
    endAll,
    close() {
      isClosed = true;
      endAll();
    },
  };
}
