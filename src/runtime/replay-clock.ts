/**
 * A clock for a replay. It stands still until it is moved, and skips the time in which nothing
 * happens.
 */
import type { Clock } from "../model/clock.ts";
import { yieldToEventLoop } from "./yield-to-event-loop.ts";

export interface ReplayClock extends Clock {
  /** Runs what needs no time. */
  settle(): Promise<void>;
  /**
   * Moves to the next timer, but not beyond `untilMs`, and calls it. Returns false if there is
   * none until then.
   */
  step(untilMs: number): Promise<boolean>;
  /** Moves to a time at once, then calls each timer that has become due once. */
  leap(toMs: number): Promise<void>;
}

interface Timer {
  readonly dueAt: number;
  readonly fn: () => void;
}

export function createReplayClock(startMs: number): ReplayClock {
  /** The timers in the order of their times, of equal ones in that of their creation. */
  const timers: Timer[] = [];
  let now = startMs;
  const call = async (timer: Timer) => {
    timer.fn();
    await yieldToEventLoop();
  };
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
    async step(untilMs) {
      const [next] = timers;
      if (next === undefined || next.dueAt > untilMs) return false;
      timers.shift();
      now = Math.max(now, next.dueAt);
      await call(next);
      return true;
    },
    async leap(toMs) {
      now = Math.max(now, toMs);
      const due = timers.filter(({ dueAt }) => dueAt <= now);
      for (const timer of due) {
        const at = timers.indexOf(timer);
        if (at < 0) continue;
        timers.splice(at, 1);
        await call(timer);
      }
    },
  };
}
