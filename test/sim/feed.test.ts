import fc from "fast-check";
import { expect, it } from "vitest";
import { type FaultKind, type FeedScenario, simulateFeed } from "./feed-scenario.ts";

const minute = fc.integer({ min: 1, max: 179 });
const scenarios: fc.Arbitrary<FeedScenario> = fc.record({
  seed: fc.integer({ min: 1, max: 1_000_000 }),
  type: fc.constantFrom("search", "timeline", "community_tweets"),
  intervalMin: fc.constantFrom(1, 3, 5),
  maxPages: fc.integer({ min: 1, max: 4 }),
  odd: fc.constantFrom(0, 0, 0.2, 0.4),
  skewMin: fc.constantFrom(0, 0, -180, 240),
  isPinned: fc.boolean(),
  before: fc.constantFrom(0, 3, 60),
  posts: fc.array(
    fc.record({
      atMin: minute,
      count: fc.oneof(
        { weight: 6, arbitrary: fc.integer({ min: 1, max: 5 }) },
        { weight: 1, arbitrary: fc.integer({ min: 20, max: 300 }) },
      ),
      overSec: fc.constantFrom(1, 30, 600),
      lagMin: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 0, max: 14 }) }),
    }),
    { maxLength: 30 },
  ),
  hides: fc.array(fc.record({ post: fc.nat(30), afterMin: fc.integer({ min: 0, max: 30 }), forMin: fc.integer({ min: 1, max: 60 }) }), {
    maxLength: 3,
  }),
  faults: fc.array(
    fc.record({
      atMin: minute,
      forSec: fc.constantFrom(1, 10, 400, 1_500),
      kind: fc.constantFrom<FaultKind>("500", "429", "mid-page", "mid-page", "empty", "html"),
    }),
    { maxLength: 4 },
  ),
  crashes: fc.array(fc.record({ atMin: minute, steps: fc.integer({ min: 1, max: 60 }), downMin: fc.constantFrom(0, 2, 12) }), {
    maxLength: 3,
  }),
  expiriesMin: fc.array(minute, { maxLength: 4 }),
});

const RUNS = 30;
const FRESH_RUNS = 12;

it("tells every new tweet exactly once, whatever the service, the network and the process do", async () => {
  await fc.assert(
    fc.asyncProperty(scenarios, async (scenario) => {
      const { objections } = await simulateFeed(scenario);
      expect(objections).toEqual([]);
    }),
    { numRuns: RUNS, seed: 1 },
  );
});

it("does so where freshness places the reads", async () => {
  await fc.assert(
    fc.asyncProperty(scenarios, async (scenario) => {
      const { objections } = await simulateFeed({ ...scenario, isFresh: true });
      expect(objections).toEqual([]);
    }),
    { numRuns: FRESH_RUNS, seed: 2 },
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
  "lets a burst of 5,000 tweets arrive whole over the next polls of a %s, and then costs one request a poll again",
  async (type) => {
    const burst = { atMin: 10, count: 5_000, overSec: 40, lagMin: 0 };
    // The quiet polls are counted by the oracle.
    const { objections, events, requests } = await simulateFeed({ ...CALM, type, posts: [burst] });
    expect([objections, events]).toEqual([[], 5_000]);
    // 250 pages, and one request for each of some 300 polls.
    expect(requests).toBeLessThan(1_000);
  },
  120_000,
);

it("fills the hole of a burst although every cursor expires at once and the process dies on the way", async () => {
  const burst = { atMin: 10, count: 600, overSec: 40, lagMin: 0 };
  const crashes = [12, 14].map((atMin) => ({ atMin, steps: 9, downMin: 2 }));
  for (const type of ["search", "timeline", "community_tweets"] as const) {
    const { objections } = await simulateFeed({ ...CALM, type, posts: [burst], crashes, expiriesMin: [11, 13, 16, 17, 18, 19] });
    expect(objections).toEqual([]);
  }
});
