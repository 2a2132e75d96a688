/**
 * The clock of the demo. It begins at a time in the past and stands still: only `leap` moves it.
 * After `keepTime`, it runs like the machine's clock.
 */
import type { Cancel, Clock } from "../model/clock.ts";

export interface HurriedClock extends Clock {
  /**
   * Moves the time by `ms` in one step, then calls each timer that has become due. Timers that
   * these calls set wait for the next leap.
   */
  leap(ms: number): void;
  /**
   * Makes the clock run like the machine's from now on. Waiting timers keep their remaining time.
   */
  keepTime(): void;
}

interface Timer {
  readonly dueAt: number;
  readonly fn: () => void;
  /** Cancels the real timer that the machine runs for this one. Set only after `keepTime`. */
  cancel?: Cancel;
}

export function createHurriedClock(machine: Clock, startMs: number): HurriedClock {
  const waiting = new Set<Timer>();
  let monotonic = machine.monotonic();
  let wall = startMs;
  let isHurried = true;
  /** How far this monotonic clock is ahead of the machine's, in ms. `keepTime` sets it. */
  let aheadMs = 0;

  const now = () => (isHurried ? wall : machine.now());
  const elapsed = () => (isHurried ? monotonic : machine.monotonic() + aheadMs);
  const keep = (timer: Timer): void => {
    timer.cancel = machine.after(Math.max(0, timer.dueAt - elapsed()), () => {
      waiting.delete(timer);
      timer.fn();
    });
  };
  return {
    now,
    monotonic: elapsed,
    after(ms, fn) {
      const timer: Timer = { dueAt: elapsed() + Math.max(0, ms), fn };
      waiting.add(timer);
      if (!isHurried) keep(timer);
      return () => {
        waiting.delete(timer);
        timer.cancel?.();
      };
    },
    leap(ms) {
      monotonic += ms;
      wall += ms;
      const due = [...waiting]
        .filter(({ dueAt }) => dueAt <= monotonic)
        .sort((one, other) => one.dueAt - other.dueAt);
      for (const timer of due) if (waiting.delete(timer)) timer.fn();
    },
    keepTime() {
      if (!isHurried) return;
      aheadMs = monotonic - machine.monotonic();
      isHurried = false;
      for (const timer of waiting) keep(timer);
    },
  };
}
