/** Detects that the wall clock was set: what waits for a time of day checks it again, and what waits for a while waits no longer for it. */
import { createRepeated } from "../engine/health/repeat.ts";
import type { Clock } from "../model/clock.ts";
import type { Log } from "../model/log.ts";
import type { Upkeep } from "../model/store.ts";
import { createJumpWatch } from "../schedule/misfire.ts";

const EVERY_MS = 2_000;

export interface ClockWatchDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Pick<Upkeep, "setTimesBack">;
  /** That of the active configuration. */
  readonly pump: () => { setTimesBack(byMs: number): void; wake(): void };
  readonly engine: { wake(): void };
}

/** Returns what ends it. What could not be stored is tried again. */
export function watchClock({ clock, log, store, pump, engine }: ClockWatchDeps): () => void {
  const jumps = createJumpWatch(clock.now(), clock.monotonic());
  let jumpMs = 0;
  const watching = createRepeated({
    clock,
    everyMs: EVERY_MS,
    work: async () => {
      jumpMs += jumps.observe(clock.now(), clock.monotonic());
      if (jumpMs === 0) return;
      if (jumpMs < 0) await store.setTimesBack(-jumpMs);
      if (jumpMs < 0) pump().setTimesBack(-jumpMs);
      log.warn("the clock was set", { by_seconds: Math.round(jumpMs / 1_000) });
      jumpMs = 0;
      pump().wake();
      engine.wake();
    },
    onError: () => undefined,
  });
  watching.start();
  return watching.stop;
}
