/**
 * Chooses the number of random cases for a property: few in `npm test`, many in `npm run
 * test:long`, which runs these files too. A failure prints its seed.
 */
export const manyRuns = (few: number, many: number): number =>
  process.env["MODE"] === "long" ? many : few;
