import fc from "fast-check";
import { expect, it } from "vitest";
import { feedScenarios } from "./feed-arbitrary.ts";
import { type FeedScenario, simulateFeed } from "./feed-scenario.ts";

/**
 * A single run shows that scenarios can be played. test/long/scenarios.test.ts plays sixty random
 * ones of each kind.
 */
const RUNS = 1;

it("reports every new tweet exactly once, whatever the service, the network and the process do", async () => {
  await fc.assert(
    fc.asyncProperty(feedScenarios, async (scenario) => {
      const { objections } = await simulateFeed(scenario);
      expect(objections).toEqual([]);
    }),
    { numRuns: RUNS, seed: 1 },
  );
});

it("does so where freshness places the reads", async () => {
  await fc.assert(
    fc.asyncProperty(feedScenarios, async (scenario) => {
      const { objections } = await simulateFeed({ ...scenario, isFresh: true });
      expect(objections).toEqual([]);
    }),
    { numRuns: RUNS, seed: 2 },
  );
});

const CALM: FeedScenario = {
  seed: 1,
  type: "search",
  intervalMin: 1,
  maxPages: 3,
  odd: 0,
  skewMin: 0,
  isPinned: false,
  before: 60,
  posts: [],
  hides: [],
  faults: [],
  crashes: [],
  expiriesMin: [],
};

it.each(["search", "timeline"] as const)(
  "lets a burst of 2,000 tweets arrive whole over the next polls of a %s, and then costs one request a poll again",
  async (type) => {
    const burst = { atMin: 10, count: 2_000, overSec: 40, lagMin: 0 };
    // The quiet polls are counted by the oracle.
    const { objections, events, requests } = await simulateFeed({ ...CALM, type, posts: [burst] });
    expect([objections, events]).toEqual([[], 2_000]);
    // There are 100 pages, and one request for each of some 300 polls.
    expect(requests).toBeLessThan(650);
  },
  120_000,
);

it("fills the hole of a burst although every cursor expires at once and the process dies on the way", async () => {
  const burst = { atMin: 10, count: 600, overSec: 40, lagMin: 0 };
  const crashes = [12, 14].map((atMin) => ({ atMin, steps: 9, downMin: 2 }));
  for (const type of ["search", "timeline", "community_tweets"] as const) {
    const { objections } = await simulateFeed({
      ...CALM,
      type,
      posts: [burst],
      crashes,
      expiriesMin: [11, 13, 16, 17, 18, 19],
    });
    expect(objections).toEqual([]);
  }
});
