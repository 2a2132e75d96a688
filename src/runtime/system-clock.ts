/**
 * The machine's own time behind the Clock port. Owns setTimeout and its limits; knows nothing of
 * schedules.
 */
import type { Cancel, Clock } from "../model/clock.ts";

/**
 * setTimeout reads a longer delay as 1 ms, https://nodejs.org/api/timers.html: longer waits are
 * made of several.
 */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** Real time. A timer keeps the process alive until it fired or was cancelled. */
export function createSystemClock(): Clock {
  return { now: () => Date.now(), monotonic: () => performance.now(), after };
}

function after(ms: number, fn: () => void): Cancel {
  const dueAt = performance.now() + Math.max(0, ms);
  let timer: NodeJS.Timeout;
  // Node may fire a fraction of a millisecond early; the port promises "at least", so the rest is
  // waited for.
  const arm = () => {
    const restMs = dueAt - performance.now();
    if (restMs <= 0) fn();
    else timer = setTimeout(arm, Math.min(Math.ceil(restMs), LONGEST_TIMEOUT_MS));
  };
  timer = setTimeout(arm, Math.min(Math.max(0, Math.ceil(ms)), LONGEST_TIMEOUT_MS));
  return () => clearTimeout(timer);
}
