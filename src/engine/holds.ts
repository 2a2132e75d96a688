/** Members of a group that could not be read, and are left alone until they may be asked for again. */
import type { Clock } from "../model/clock.ts";
import type { PollRun } from "./attempt-poll.ts";

export interface Holds {
  /** What came of a read of its own. */
  note(pollKey: string, run: PollRun): void;
  isHeld(pollKey: string): boolean;
  /** A member that can be seen again. */
  release(pollKey: string): void;
}

export function createHolds(clock: Pick<Clock, "now">): Holds {
  const untilMs = new Map<string, number>();
  return {
    note(pollKey, { aftermath }) {
      const nextMs = Math.max(aftermath.retryAtMs ?? 0, aftermath.notBeforeMs ?? 0);
      if (nextMs > clock.now()) untilMs.set(pollKey, nextMs);
      else untilMs.delete(pollKey);
    },
    isHeld: (pollKey) => (untilMs.get(pollKey) ?? 0) > clock.now(),
    release: (pollKey) => void untilMs.delete(pollKey),
  };
}
