import fc from "fast-check";
import { expect, it } from "vitest";
import { searchScenarios, WORDS } from "./search-arbitrary.ts";
import { type SearchScenario, simulateSearches } from "./search-scenario.ts";

/**
 * A single run shows that scenarios can be played. test/long/scenarios.test.ts plays sixty random
 * ones of each kind.
 */
const RUNS = 1;

it("reports every tweet exactly once for each search that finds it, however oddly the service searches, whatever the network and the process do", async () => {
  await fc.assert(
    fc.asyncProperty(searchScenarios, async (scenario) => {
      const { objections } = await simulateSearches(scenario);
      expect(objections).toEqual([]);
    }),
    { numRuns: RUNS, seed: 1 },
  );
});

it("does so where freshness places the reads", async () => {
  await fc.assert(
    fc.asyncProperty(searchScenarios, async (scenario) => {
      const { objections } = await simulateSearches({ ...scenario, isFresh: true });
      expect(objections).toEqual([]);
    }),
    { numRuns: RUNS, seed: 2 },
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
const post = {
  words: ["acme"],
  place: "text",
  atMin: 1,
  count: 1,
  overSec: 1,
  lagSec: 0,
  deletedAfterMin: 0,
} as const;

it("finds with verification reads what shared queries hide, while the other searches have news all the time", async () => {
  const chatter = [["acme"], ["delta"]].map((words) => ({
    ...post,
    words,
    count: 60,
    overSec: 7_200,
  }));
  const hidden = [10, 30, 50, 70, 90, 110].map((atMin) => ({
    ...post,
    words: ["delta", "shy"],
    atMin,
  }));
  const { objections, merged, requests } = await simulateSearches({
    ...CALM,
    shyWords: ["shy"],
    posts: [...chatter, ...hidden],
  });
  expect(objections).toEqual([]);
  // The search kept sharing with those it can share with.
  expect(merged).toBeGreaterThan(100);
  expect(requests).toBeLessThan(120 * 3 + 60);
});
