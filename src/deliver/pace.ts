/** Third stage: lets a parcel through when one of the sink's attempts is free, in order of arrival, and turns it away when the way closes. */
import type { Clock } from "../model/clock.ts";
import { isBeforeProbe, pauseMs, type Parcel } from "./lane.ts";
import type { Stage } from "./stage.ts";

export interface PaceDeps {
  readonly clock: Clock;
  isStopping(): boolean;
}

/** True: the parcel holds one of the sink's attempts until `freeAttempt`. False: it goes back to the outbox as it is. */
export function createPaceStage(deps: PaceDeps): Stage<Parcel, boolean> {
  return {
    name: "pace",
    async run({ lane, isProbe }) {
      // Claimed before the way closed: it goes back. A probe is what an open breaker lets through.
      if (deps.isStopping() || pauseMs(lane, deps.clock) > 0 || (isBeforeProbe(lane, deps.clock.now()) && !isProbe)) return false;
      if (lane.sending < lane.concurrency) {
        lane.sending += 1;
        return true;
      }
      return new Promise((resolve) => lane.waiting.push(resolve));
    },
  };
}

/** Hands the attempt to the next parcel in line. */
export function freeAttempt({ lane }: Parcel): void {
  const next = lane.waiting.shift();
  if (next === undefined) lane.sending -= 1;
  else next(true);
}
