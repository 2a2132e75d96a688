/** Summarises many measurements. Pure; measuring and printing belong to others. */

/**
 * Returns the value at a share of the sorted samples, such as `quantile(ms, 0.99)`. NaN if there is
 * none.
 */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return (
    sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * share) - 1))] ??
    Number.NaN
  );
}

export const median = (samples: readonly number[]): number => quantile(samples, 0.5);

export const mean = (samples: readonly number[]): number =>
  samples.reduce((sum, one) => sum + one, 0) / samples.length;

/** Formats p50, p95 and p99 as `1.8 / 3.1 / 9.0 ms`. */
export const delayText = (samplesMs: readonly number[]): string =>
  `${[0.5, 0.95, 0.99].map((share) => quantile(samplesMs, share).toFixed(1)).join(" / ")} ms`;

/** Formats a number as `12,345`. */
export const wholeText = (value: number): string => Math.round(value).toLocaleString("en");
