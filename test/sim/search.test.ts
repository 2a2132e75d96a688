import fc from "fast-check";
import { expect, it } from "vitest";
import { type SearchScenario, simulateSearches } from "./search-scenario.ts";

const WORDS = ["acme", "bolt", "crane", "delta", "ember", "flint"];
const minute = fc.integer({ min: 1, max: 119 });
const lag = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 800 }) });
const QUERIES = [...WORDS, '"acme bolt"', "crane -delta", "(ember OR flint) acme", "#acme", "@bolt", "from:crane", "bolt delta"];

const scenarios: fc.Arbitrary<SearchScenario> = fc.record({
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
      words: fc.uniqueArray(fc.constantFrom(...WORDS, "#acme", "@bolt"), { minLength: 1, maxLength: 3 }),
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
  faults: fc.array(fc.record({ atMin: minute, forSec: fc.constantFrom(1, 30, 400), kind: fc.constantFrom("500", "429", "400", "empty") }), {
    maxLength: 3,
  }),
  crashes: fc.array(fc.record({ atMin: minute, steps: fc.integer({ min: 1, max: 200 }), downMin: fc.constantFrom(0, 2, 12, 40) }), {
    maxLength: 2,
  }),
});

const RUNS = 20;
const FRESH_RUNS = 8;

it("tells every tweet to every search that finds it exactly once, however oddly the service searches, whatever the network and the process do", async () => {
  await fc.assert(
    fc.asyncProperty(scenarios, async (scenario) => {
      const { objections } = await simulateSearches(scenario);
      expect(objections).toEqual([]);
    }),
    { numRuns: RUNS, seed: 1 },
  );
});

it("does so where freshness places the reads", async () => {
  await fc.assert(
    fc.asyncProperty(scenarios, async (scenario) => {
      const { objections } = await simulateSearches({ ...scenario, isFresh: true });
      expect(objections).toEqual([]);
    }),
    { numRuns: FRESH_RUNS, seed: 2 },
  );
});

const CALM: SearchScenario = {
  seed: 1,
  way: "auto",
  queries: WORDS,
  longestQuery: 450,
  skewMin: 0,
  shyWords: [],
  posts: [],
  faults: [],
  crashes: [],
};
const post = { words: ["acme"], place: "text", atMin: 1, count: 1, overSec: 1, lagSec: 0, deletedAfterMin: 0 } as const;

it("finds by proofs what shared queries hide, while the others have news all the time", async () => {
  const chatter = [["acme"], ["delta"]].map((words) => ({ ...post, words, count: 60, overSec: 7_200 }));
  const hidden = [10, 30, 50, 70, 90, 110].map((atMin) => ({ ...post, words: ["delta", "shy"], atMin }));
  const { objections, merged, requests } = await simulateSearches({ ...CALM, shyWords: ["shy"], posts: [...chatter, ...hidden] });
  expect(objections).toEqual([]);
  // It shared on with those it could share with.
  expect(merged).toBeGreaterThan(100);
  expect(requests).toBeLessThan(120 * 3 + 60);
});
