/**
 * Third stage: lets a message through when one of the sink's attempts is free and its place may get
 * the next message, in order of arrival; rejects it when the way closes.
 */
import type { Clock } from "../../model/clock.ts";
import { isBeforeProbe, type ClaimedMessage, type SinkQueue } from "../queue/sink-queue.ts";
import { pauseMs } from "../queue/sink-waits.ts";
import type { Stage } from "./stage.ts";

export interface PaceDeps {
  readonly clock: Clock;
  isStopping(): boolean;
}

/**
 * True: the message holds one of the sink's attempts until `freeAttempt`. False: it goes back to
 * the outbox as it is.
 */
export function createPaceStage(deps: PaceDeps): Stage<ClaimedMessage, boolean> {
  const { clock } = deps;
  // Claimed before the way closed: it goes back. A probe is what an open breaker lets through.
  const isClosed = ({ queue, isProbe }: ClaimedMessage) =>
    deps.isStopping() ||
    pauseMs(queue, clock) > 0 ||
    (isBeforeProbe(queue, clock.now()) && !isProbe);
  return {
    name: "pace",
    async run(claimed) {
      const { queue } = claimed;
      if (isClosed(claimed) || !(await takeAttempt(queue))) return false;
      for (;;) {
        const waitMs = queue.pace.freeAtMs() - clock.monotonic();
        if (waitMs <= 0) break;
        await holdFor(queue, waitMs, clock);
        if (!isClosed(claimed)) continue;
        freeAttempt(claimed);
        return false;
      }
      queue.pace.started(clock.monotonic());
      return true;
    },
  };
}

/** False: the way closed before there was one. */
function takeAttempt(queue: SinkQueue): Promise<boolean> | boolean {
  if (queue.sending >= queue.concurrency)
    return new Promise((resolve) => queue.waiting.push(resolve));
  queue.sending += 1;
  return true;
}

function holdFor(queue: SinkQueue, waitMs: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      queue.held.delete(end);
      resolve();
    };
    const cancel = clock.after(waitMs, end);
    queue.held.add(end);
  });
}

/** Hands the attempt to the next message in line. */
export function freeAttempt({ queue }: ClaimedMessage): void {
  const next = queue.waiting.shift();
  if (next === undefined) queue.sending -= 1;
  else next(true);
}
