/** Waits that end early together: when the door closes, or when what all wait for has come. */
import type { Clock } from "../model/clock.ts";

export interface Pauses {
  wait(ms: number): Promise<void>;
  /** Ends every wait that is under way. */
  endAll(): void;
  /** Ends them, and every later one at once. */
  close(): void;
}

/** One signal with dozens of listeners would be taken for a leak: hence a set of its own. */
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
