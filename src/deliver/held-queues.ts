/**
 * Decides which of its sink queues this process delivers to: takes new ones over and hands others
 * back to the other replicas.
 */
import { createRounds } from "../model/in-turn.ts";
import type { PumpSink, SinkQueue } from "./queue/sink-queue.ts";
import { forgetWaits } from "./queue/sink-waits.ts";
import { takeOverQueues, type TakeOverDeps, takeResumed } from "./take-over.ts";

export interface HeldQueuesDeps extends TakeOverDeps {
  /** Whether this process delivers to the sink. If not, another replica does. */
  holds(sink: PumpSink): boolean;
}

export interface HeldQueues {
  has(queue: SinkQueue): boolean;
  /**
   * Takes the queue over if it belongs to this process and was not taken over yet. Returns whether
   * this process now delivers to it.
   */
  admit(queue: SinkQueue): Promise<boolean>;
  /**
   * Updates which queues this process holds, after its share has changed or somebody resumed a sink
   * at another process.
   */
  takeShare(): Promise<void>;
}

export function createHeldQueues(deps: HeldQueuesDeps, queues: readonly SinkQueue[]): HeldQueues {
  const held = new Set<SinkQueue>();
  const admitAll = createRounds(async () => {
    const added = queues.filter((queue) => !held.has(queue) && deps.holds(queue));
    if (added.length > 0) await takeOverQueues(deps, added);
    for (const queue of added) held.add(queue);
  });
  return {
    has: (queue) => held.has(queue),
    async admit(queue) {
      if (deps.holds(queue) && !held.has(queue)) await admitAll();
      return held.has(queue);
    },
    async takeShare() {
      for (const queue of [...held].filter((one) => !deps.holds(one))) {
        held.delete(queue);
        // The replica that takes over finds out by itself whether the sink asks to wait.
        forgetWaits(queue);
      }
      await takeResumed(deps, [...held]);
      await admitAll();
    },
  };
}
