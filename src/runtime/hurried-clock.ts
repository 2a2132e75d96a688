/**
 * A clock that begins in the past and does not wait: only a leap moves its time, until it keeps the
 * machine's own time.
 */
import type { Cancel, Clock } from "../model/clock.ts";

export interface HurriedClock extends Clock {
  /**
   * Moves on by `ms` at once, then calls what has become due, each once: whatever is set meanwhile
   * waits for the next leap.
   */
  leap(ms: number): void;
  /** From now on time passes by itself, as the machine's does. Timers that wait are taken along. */
  keepTime(): void;
}

interface Timer {
  readonly dueAt: number;
  readonly fn: () => void;
  /** Set once the machine's clock keeps it. */
  cancel?: Cancel;
}

export function createHurriedClock(machine: Clock, startMs: number): HurriedClock {
  const waiting = new Set<Timer>();
  let monotonic = machine.monotonic();
  let wall = startMs;
  let isHurried = true;
  /** Between the machine's monotonic clock and this one's, from `keepTime` on. */
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
