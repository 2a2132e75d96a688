/**
 * The seed for random data, drawn at each run. The name of a failed test contains it; `SEED=17 npm
 * run test:long` plays it again.
 */
export const SEED = Number(process.env["SEED"] ?? Math.floor(Math.random() * 1_000_000));

/** Returns `count` consecutive seeds, beginning with the drawn one. */
export const seeds = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => SEED + index);
