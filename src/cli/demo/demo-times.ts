/**
 * How long the demo waits for what it shows. Pure: all times are ms since its start; the waiting is
 * demo.ts's.
 */

/** When each wait is given up, and the demo goes on with what there is. */
export interface DemoTimes {
  /** For alerts before the restart. */
  readonly restartMs: number;
  /** For an alert of each watch type. */
  readonly alertsMs: number;
  /**
   * For more polls after the restart, where time allows: one repeat without a duplicate alert could
   * be luck.
   */
  readonly encoreMs: number;
}

/** For the silent baseline. */
export const BASELINE_UNTIL_MS = 30_000;

/** A demo that ends within twenty seconds has to know by then what it shows. */
const USUAL: DemoTimes = { restartMs: 8_000, alertsMs: 17_000, encoreMs: 10_500 };
/** A machine that has time for it takes half of this. */
const USUAL_BASELINE_MS = 6_000;

/**
 * A machine so busy that the baseline came late is as slow with the rest: better late than failed.
 */
export function demoTimes(baselineAtMs: number): DemoTimes {
  const slowness = Math.max(1, Math.min(baselineAtMs, BASELINE_UNTIL_MS) / USUAL_BASELINE_MS);
  return { ...USUAL, restartMs: USUAL.restartMs * slowness, alertsMs: USUAL.alertsMs * slowness };
}
