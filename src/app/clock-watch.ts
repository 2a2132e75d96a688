/** Notices that the wall clock was set: whoever sleeps until a time of day has to look at it again. */
import { createRepeated } from "../engine/health/repeat.ts";
import type { Clock } from "../model/clock.ts";
import { createJumpWatch } from "../schedule/misfire.ts";

const EVERY_MS = 2_000;

/** Returns what ends it. `onSet` must not throw. */
export function watchClock(clock: Clock, onSet: (jumpMs: number) => void): () => void {
  const jumps = createJumpWatch(clock.now(), clock.monotonic());
  const watching = createRepeated({
    clock,
    everyMs: EVERY_MS,
    work: async () => {
      const jumpMs = jumps.observe(clock.now(), clock.monotonic());
      if (jumpMs !== 0) onSet(jumpMs);
    },
    onError: () => undefined,
  });
  watching.start();
  return watching.stop;
}
