/**
 * Implements the Clock port with the machine's own time, also for waits that setTimeout cannot do.
 */
import type { Cancel, Clock } from "../model/clock.ts";

/**
 * The maximum delay of setTimeout, which treats a longer one as 1 ms
 * (https://nodejs.org/api/timers.html). A longer wait consists of several timeouts.
 */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * Creates a clock with real time. A timer keeps the process alive until it has fired or is
 * cancelled.
 */
export function createSystemClock(): Clock {
  return { now: () => Date.now(), monotonic: () => performance.now(), after };
}

function after(ms: number, fn: () => void): Cancel {
  const dueAt = performance.now() + Math.max(0, ms);
  let timer: NodeJS.Timeout;
  // Node may fire a fraction of a millisecond early. A timer of the port never does, so wait for
  // the rest.
  const arm = () => {
    const restMs = dueAt - performance.now();
    if (restMs <= 0) fn();
    else timer = setTimeout(arm, Math.min(Math.ceil(restMs), MAX_TIMEOUT_MS));
  };
  timer = setTimeout(arm, Math.min(Math.max(0, Math.ceil(ms)), MAX_TIMEOUT_MS));
  return () => clearTimeout(timer);
}
