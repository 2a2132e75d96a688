/** Members of a group that could not be read, and are left alone until they may be asked for again. */
import type { Clock } from "../../model/clock.ts";
import type { PollRun } from "../../polling/run/poll-run.ts";

export interface Cooldowns {
  /** What came of a read of its own. */
  note(pollKey: string, run: PollRun): void;
  isHeld(pollKey: string): boolean;
  /** A member that can be seen again. */
  release(pollKey: string): void;
}

export function createCooldowns(clock: Pick<Clock, "now" | "monotonic">): Cooldowns {
  /** Monotonic: a clock that is set back must hold nobody longer. */
  const untilMs = new Map<string, number>();
  return {
    note(pollKey, { aftermath }) {
      const holdMs = Math.max(aftermath.retryAtMs ?? 0, aftermath.notBeforeMs ?? 0) - clock.now();
      if (holdMs > 0) untilMs.set(pollKey, clock.monotonic() + holdMs);
      else untilMs.delete(pollKey);
    },
    isHeld: (pollKey) => (untilMs.get(pollKey) ?? Number.NEGATIVE_INFINITY) > clock.monotonic(),
    release: (pollKey) => void untilMs.delete(pollKey),
  };
}
