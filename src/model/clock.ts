/**
 * Time as a port. Only runtime/ and the simulation implement it; nothing else reads a clock or sets
 * a timer.
 */

/** Stops a timer. Calling it after the timer fired does nothing. */
export type Cancel = () => void;

export interface Clock {
  /**
   * Returns the time of the system clock in epoch ms. It may jump when an operator corrects the
   * clock.
   */
  now(): number;
  /**
   * Returns milliseconds from an arbitrary origin that never go backwards. Use it for waiting,
   * never for storing.
   */
  monotonic(): number;
  /** Calls `fn` once, at least `ms` later on the monotonic clock. */
  after(ms: number, fn: () => void): Cancel;
}

/**
 * Returns the same clock with a different system time. `aheadMs` returns the difference in ms,
 * which may change.
 */
export const shiftClock = (clock: Clock, aheadMs: () => number): Clock => ({
  now: () => clock.now() + aheadMs(),
  monotonic: () => clock.monotonic(),
  after: (ms, fn) => clock.after(ms, fn),
});

/** Resolves after `ms`, or immediately when `signal` aborts. Never rejects. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      cancel();
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal?.addEventListener("abort", done, { once: true });
  });
}

/**
 * Returns the ms since a stored time (epoch ms); infinity for a time in the future. Such a time was
 * stored before the clock was set back, so it is treated as if it were long ago.
 */
export const passedMs = (sinceMs: number, nowMs: number): number =>
  sinceMs > nowMs ? Number.POSITIVE_INFINITY : nowMs - sinceMs;

export const isoTime = (epochMs: number): string => new Date(epochMs).toISOString();
