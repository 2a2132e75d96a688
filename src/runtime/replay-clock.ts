/** A clock for a replay. It stands still until it is moved, from one timer to the next. */
import type { Clock } from "../model/clock.ts";
import { yieldToEventLoop } from "../model/steps.ts";

export interface ReplayClock extends Clock {
  /** Runs what needs no time. */
  settle(): Promise<void>;
  /** Moves to a time. Calls each timer that is due until then at its own time. */
  passTo(toMs: number): Promise<void>;
}

interface Timer {
  readonly dueAt: number;
  readonly fn: () => void;
}

export function createReplayClock(startMs: number): ReplayClock {
  /** The timers in the order of their times, of equal ones in that of their creation. */
  const timers: Timer[] = [];
  let now = startMs;
  return {
    now: () => now,
    monotonic: () => now,
    after(ms, fn) {
      const timer = { dueAt: now + Math.max(0, ms), fn };
      const place = timers.findLastIndex(({ dueAt }) => dueAt <= timer.dueAt) + 1;
      timers.splice(place, 0, timer);
      return () => {
        const at = timers.indexOf(timer);
        if (at >= 0) timers.splice(at, 1);
      };
    },
    settle: yieldToEventLoop,
    async passTo(toMs) {
      for (let [next] = timers; next !== undefined && next.dueAt <= toMs; [next] = timers) {
        timers.shift();
        now = Math.max(now, next.dueAt);
        next.fn();
        await yieldToEventLoop();
      }
      now = Math.max(now, toMs);
    },
  };
}
