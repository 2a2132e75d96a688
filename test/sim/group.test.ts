import fc from "fast-check";
import { expect, it } from "vitest";
import { type GroupScenario, simulateGroup } from "./group-scenario.ts";

const minute = fc.integer({ min: 1, max: 179 });
const account = fc.integer({ min: 0, max: 29 });
const lag = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 600 }) });

const scenarios: fc.Arbitrary<GroupScenario> = fc.record({
  seed: fc.integer({ min: 1, max: 1_000_000 }),
  accounts: fc.constantFrom(3, 8, 30),
  way: fc.constantFrom("auto", "probe", "merge", "mean", "p95"),
  company: fc.constantFrom("none", "half", "others"),
  skewMin: fc.constantFrom(0, 0, 0, -180, 240),
  hidden: fc.uniqueArray(account, { maxLength: 4 }),
  frozen: fc.uniqueArray(account, { maxLength: 2 }),
  posts: fc.array(
    fc.record({
      account,
      atMin: minute,
      count: fc.oneof(
        { weight: 8, arbitrary: fc.integer({ min: 1, max: 4 }) },
        { weight: 1, arbitrary: fc.integer({ min: 20, max: 120 }) },
      ),
      overSec: fc.constantFrom(1, 30, 600),
      visibleLagSec: lag,
      searchLagSec: lag,
      deletedAfterMin: fc.constantFrom(0, 0, 0, 1, 5, 40),
      isRetweet: fc.boolean(),
    }),
    { maxLength: 40 },
  ),
  flaps: fc.array(fc.record({ account, atMin: minute, forMin: fc.integer({ min: 1, max: 30 }), by: fc.constantFrom(-2, -1, 1, 2) }), {
    maxLength: 6,
  }),
  renames: fc.array(fc.record({ account, atMin: minute }), { maxLength: 4 }),
  gone: fc.array(fc.record({ account, atMin: minute, forMin: fc.integer({ min: 1, max: 60 }) }), { maxLength: 2 }),
  faults: fc.array(
    fc.record({
      atMin: minute,
      forSec: fc.constantFrom(1, 30, 400),
      endpoint: fc.constantFrom("info-batch", "search-tweets", "user-tweets"),
      kind: fc.constantFrom("500", "429", "400"),
    }),
    { maxLength: 4 },
  ),
  crashes: fc.array(fc.record({ atMin: minute, steps: fc.integer({ min: 1, max: 200 }), downMin: fc.constantFrom(0, 2, 12) }), {
    maxLength: 2,
  }),
});

const RUNS = 20;

it("tells every post of a group exactly once, whatever counters, searches, names, the network and the process do", async () => {
  await fc.assert(
    fc.asyncProperty(scenarios, async (scenario) => {
      const { objections } = await simulateGroup(scenario);
      expect(objections).toEqual([]);
    }),
    { numRuns: RUNS, seed: 1 },
  );
});

/** Nothing fails and nothing is deleted: then counters are enough, and nobody waits for a full poll. */
const calm = scenarios.map(
  (scenario): GroupScenario => ({
    ...scenario,
    way: scenario.way === "mean" || scenario.way === "p95" ? "auto" : scenario.way,
    frozen: [],
    flaps: [],
    gone: [],
    faults: [],
    crashes: [],
    posts: scenario.posts.map((post) => ({ ...post, visibleLagSec: 0, deletedAfterMin: 0 })),
  }),
);

it("tells every post within a few ticks, search or no search, while the service is well", async () => {
  await fc.assert(
    fc.asyncProperty(calm, async (scenario) => {
      const { objections, latestMin } = await simulateGroup(scenario);
      expect(objections).toEqual([]);
      // Every fifth tick a probe tells a group that is read by searches which accounts these do not show.
      expect(latestMin).toBeLessThan(scenario.way === "probe" ? 9 : 19);
    }),
    { numRuns: RUNS / 2, seed: 2 },
  );
});
