/** Third stage: lets a message through when one of the sink's attempts is free, in order of arrival, and rejects it when the way closes. */
import type { Clock } from "../../model/clock.ts";
import { isBeforeProbe, pauseMs, type ClaimedMessage } from "../queue/sink-queue.ts";
import type { Stage } from "./stage.ts";

export interface PaceDeps {
  readonly clock: Clock;
  isStopping(): boolean;
}

/** True: the message holds one of the sink's attempts until `freeAttempt`. False: it goes back to the outbox as it is. */
export function createPaceStage(deps: PaceDeps): Stage<ClaimedMessage, boolean> {
  return {
    name: "pace",
    async run({ queue, isProbe }) {
      // Claimed before the way closed: it goes back. A probe is what an open breaker lets through.
      if (deps.isStopping() || pauseMs(queue, deps.clock) > 0 || (isBeforeProbe(queue, deps.clock.now()) && !isProbe)) return false;
      if (queue.sending < queue.concurrency) {
        queue.sending += 1;
        return true;
      }
      return new Promise((resolve) => queue.waiting.push(resolve));
    },
  };
}

/** Hands the attempt to the next message in line. */
export function freeAttempt({ queue }: ClaimedMessage): void {
  const next = queue.waiting.shift();
  if (next === undefined) queue.sending -= 1;
  else next(true);
}
