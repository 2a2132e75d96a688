/**
 * Which queues this process delivers to, of those that it was given: takes new ones over and hands
 * others back.
 */
import { createRounds } from "../model/in-turn.ts";
import type { PumpSink, SinkQueue } from "./queue/sink-queue.ts";
import { forgetWaits } from "./queue/sink-waits.ts";
import { takeOverQueues, type TakeOverDeps, takeResumed } from "./take-over.ts";

export interface HeldQueuesDeps extends TakeOverDeps {
  /** Whether this process delivers to it; another one does where not. */
  holds(sink: PumpSink): boolean;
}

export interface HeldQueues {
  has(queue: SinkQueue): boolean;
  /** Takes it over where it is this process's and was not yet. Answers whether it is. */
  admit(queue: SinkQueue): Promise<boolean>;
  /** Others may be this process's than before, or somebody resumed one at another process. */
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
        // What it asks to wait is for others to find out.
        forgetWaits(queue);
      }
      await takeResumed(deps, [...held]);
      await admitAll();
    },
  };
}
