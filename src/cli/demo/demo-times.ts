/**
 * How long the demo waits for what it shows, in ms since its start. Pure; demo.ts does the waiting.
 */

/** When each wait ends, even if what it waits for has not happened. */
export interface DemoTimes {
  /** The wait for alerts before the restart. */
  readonly restartMs: number;
  /** The wait for an alert of each watch type. */
  readonly alertsMs: number;
  /**
   * The wait for more polls after the restart, if there is time: a single repeat without a
   * duplicate alert could be luck.
   */
  readonly encoreMs: number;
}

/** The wait for the silent baseline. */
export const BASELINE_UNTIL_MS = 30_000;

/** The usual waits. A demo that ends within twenty seconds must have its results by then. */
const USUAL: DemoTimes = { restartMs: 8_000, alertsMs: 17_000, encoreMs: 10_500 };
/** Twice the time of a baseline on a machine that is not busy. */
const USUAL_BASELINE_MS = 6_000;

/**
 * Returns longer waits for a machine so busy that the baseline came late, because the rest is as
 * slow.
 */
export function demoTimes(baselineAtMs: number): DemoTimes {
  const slowness = Math.max(1, Math.min(baselineAtMs, BASELINE_UNTIL_MS) / USUAL_BASELINE_MS);
  return { ...USUAL, restartMs: USUAL.restartMs * slowness, alertsMs: USUAL.alertsMs * slowness };
}
