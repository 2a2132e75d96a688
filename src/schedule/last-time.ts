/** The last time of a schedule that has passed, for what runs once however many of its times were missed. */

/** The number of missed times that are walked one by one. After that many, the present time counts as the last one. */
const MAX_SKIPPED = 1_000;

/**
 * Returns the last time of a schedule that is not after `nowMs`, epoch ms.
 * @param nextAtMs returns the first time of the schedule after a given one
 * @param firstMs a time of the schedule that has passed
 */
export function lastTimeBefore(nextAtMs: (afterMs: number) => number, firstMs: number, nowMs: number): number {
  let lastMs = firstMs;
  for (let skipped = 0, nextMs = nextAtMs(lastMs); nextMs <= nowMs; nextMs = nextAtMs(lastMs), skipped += 1)
    lastMs = skipped < MAX_SKIPPED ? nextMs : nowMs;
  return lastMs;
}
