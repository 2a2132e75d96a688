/**
 * A clock for the demo. It begins in the past and does not run: only leaps move its time, until it
 * is set to keep the machine's time.
 */
import type { Cancel, Clock } from "../model/clock.ts";

export interface HurriedClock extends Clock {
  /**
   * Moves the time by `ms` at once, then calls each timer that has become due once. Timers that are
   * set meanwhile wait for the next leap.
   */
  leap(ms: number): void;
  /** From now on, the clock runs like the machine's. Waiting timers keep their remaining time. */
  keepTime(): void;
}

interface Timer {
  readonly dueAt: number;
  readonly fn: () => void;
  /** Cancels the machine's timer; set once the clock keeps the machine's time. */
  cancel?: Cancel;
}

export function createHurriedClock(machine: Clock, startMs: number): HurriedClock {
  const waiting = new Set<Timer>();
  let monotonic = machine.monotonic();
  let wall = startMs;
  let isHurried = true;
  /** The difference between this monotonic clock and the machine's, from `keepTime` on. */
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
