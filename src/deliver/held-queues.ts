/**
 * Keeps track of which sink queues this process delivers. Prepares queues when they are assigned to
 * this process, and drops those that are assigned to another replica.
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
   * Prepares the queue if it is assigned to this process and was not prepared yet. Returns whether
   * this process delivers it now.
   */
  admit(queue: SinkQueue): Promise<boolean>;
  /**
   * Updates which queues this process delivers. Called after the queues were distributed again, or
   * after an operator resumed a sink through another process.
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
        // The other replica finds out by an attempt whether the sink still asks to wait.
        forgetWaits(queue);
      }
      await takeResumed(deps, [...held]);
      await admitAll();
    },
  };
}
