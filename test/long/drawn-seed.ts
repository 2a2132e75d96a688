/**
 * The seed of what is drawn anew at each run. It stands in the name of the test that failed;
 * `SEED=17 npm run test:long` plays it again.
 */
export const SEED = Number(process.env["SEED"] ?? Math.floor(Math.random() * 1_000_000));

/** Returns `count` consecutive seeds, beginning with the drawn one. */
export const seeds = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => SEED + index);
