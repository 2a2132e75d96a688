/**
 * How many random cases a property is tried with: few by `npm test`, many by `npm run test:long`,
 * which plays these files too. A failure prints its seed.
 */
export const manyRuns = (few: number, many: number): number =>
  process.env["MODE"] === "long" ? many : few;
