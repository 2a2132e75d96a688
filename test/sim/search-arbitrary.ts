/**
 * Generates what searches with shared queries can meet in two hours: posts that some searches miss,
 * faults and crashes.
 */
import fc from "fast-check";
import type { SearchScenario } from "./search-scenario.ts";

export const WORDS = ["acme", "bolt", "crane", "delta", "ember", "flint"];
const minute = fc.integer({ min: 1, max: 119 });
const lag = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 800 }) },
);
const QUERIES = [
  ...WORDS,
  '"acme bolt"',
  "crane -delta",
  "(ember OR flint) acme",
  "#acme",
  "@bolt",
  "from:crane",
  "bolt delta",
];

export const searchScenarios: fc.Arbitrary<SearchScenario> = fc.record({
  seed: fc.integer({ min: 1, max: 1_000_000 }),
  way: fc.constantFrom("auto", "auto", "merge", "single"),
  queries: fc.uniqueArray(fc.constantFrom(...QUERIES), { minLength: 2, maxLength: 10 }),
  longestQuery: fc.constantFrom(450, 450, 70),
  skewMin: fc.constantFrom(0, 0, 0, -180, 240),
  shyWords: fc.oneof(
    { weight: 3, arbitrary: fc.constant<string[]>([]) },
    { weight: 1, arbitrary: fc.uniqueArray(fc.constantFrom(...WORDS), { maxLength: 2 }) },
  ),
  posts: fc.array(
    fc.record({
      words: fc.uniqueArray(fc.constantFrom(...WORDS, "#acme", "@bolt"), {
        minLength: 1,
        maxLength: 3,
      }),
      place: fc.constantFrom("text", "text", "text", "name", "handle", "card"),
      atMin: minute,
      count: fc.oneof(
        { weight: 8, arbitrary: fc.integer({ min: 1, max: 4 }) },
        { weight: 1, arbitrary: fc.integer({ min: 20, max: 120 }) },
      ),
      overSec: fc.constantFrom(1, 30, 600),
      lagSec: lag,
      deletedAfterMin: fc.constantFrom(0, 0, 0, 1, 5, 40),
    }),
    { maxLength: 30 },
  ),
  faults: fc.array(
    fc.record({
      atMin: minute,
      forSec: fc.constantFrom(1, 30, 400),
      kind: fc.constantFrom("500", "429", "400", "empty"),
    }),
    {
      maxLength: 3,
    },
  ),
  crashes: fc.array(
    fc.record({
      atMin: minute,
      steps: fc.integer({ min: 1, max: 200 }),
      downMin: fc.constantFrom(0, 2, 12, 40),
    }),
    {
      maxLength: 2,
    },
  ),
});
