/**
 * The third delivery stage. It lets messages through in order of arrival, each as soon as the sink
 * has a free concurrent send slot and its rate limit allows another message. It rejects messages
 * while the sink is paused or its breaker is open.
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
 * Creates the stage. `run` returns true if the message occupies one of the sink's send slots until
 * `freeAttempt` is called, and false if the message returns to the outbox unchanged.
 */
export function createPaceStage(deps: PaceDeps): Stage<ClaimedMessage, boolean> {
  const { clock } = deps;
  // A message can be claimed shortly before the daemon stops, the sink has to wait or its breaker
  // opens. Such a message returns to the outbox. An open breaker lets only probes through.
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

/**
 * Waits for a free send slot and occupies it. Returns false if the queue rejects its waiting
 * messages first.
 */
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

/**
 * Passes the send slot of a message to the next message that waits, or frees the slot if none
 * waits.
 */
export function freeAttempt({ queue }: ClaimedMessage): void {
  const next = queue.waiting.shift();
  if (next === undefined) queue.sending -= 1;
  else next(true);
}
