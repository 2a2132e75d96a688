/**
 * Computes how long the demo waits for each thing that it shows, in ms since its start. Pure;
 * demo.ts does the waiting.
 */

/**
 * The end of each wait, in ms since the start of the demo. A wait ends then even if nothing has
 * happened.
 */
export interface DemoTimes {
  /** The wait for alerts before the restart. */
  readonly restartMs: number;
  /** The wait for an alert of each watch type. */
  readonly alertsMs: number;
  /**
   * The wait for more polls after the restart, if there is time: after a single poll, the absence
   * of duplicates could be luck.
   */
  readonly encoreMs: number;
}

/** The wait for the silent baseline. */
export const BASELINE_UNTIL_MS = 30_000;

/** The waits on a machine that is not busy. They let the demo end within twenty seconds. */
const USUAL: DemoTimes = { restartMs: 8_000, alertsMs: 17_000, encoreMs: 10_500 };
/** Twice the time that the baseline takes on a machine that is not busy. */
const USUAL_BASELINE_MS = 6_000;

/**
 * Returns the waits. They are longer if the baseline was slow, because the rest of the demo will be
 * as slow on a busy machine.
 */
export function demoTimes(baselineAtMs: number): DemoTimes {
  const slowness = Math.max(1, Math.min(baselineAtMs, BASELINE_UNTIL_MS) / USUAL_BASELINE_MS);
  return { ...USUAL, restartMs: USUAL.restartMs * slowness, alertsMs: USUAL.alertsMs * slowness };
}
