import fc from "fast-check";
import { expect, it } from "vitest";
import { type RosterScenario, simulateRosters } from "./roster-scenario.ts";

const minute = fc.integer({ min: 1, max: 179 });
const subject = fc.integer({ min: 0, max: 29 });
const lag = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 1_800 }) });

const scenarios: fc.Arbitrary<RosterScenario> = fc.record({
  seed: fc.integer({ min: 1, max: 1_000_000 }),
  subjects: fc.constantFrom(1, 3, 8, 30),
  list: fc.constantFrom("all", "indexed", "auto", "left"),
  way: fc.constantFrom("auto", "auto", "probe"),
  followers: fc.constantFrom(3, 40, 450),
  frozen: fc.uniqueArray(subject, { maxLength: 2 }),
  follows: fc.array(
    fc.record({
      subject,
      atMin: minute,
      count: fc.oneof(
        { weight: 8, arbitrary: fc.integer({ min: 1, max: 4 }) },
        { weight: 1, arbitrary: fc.integer({ min: 20, max: 300 }) },
      ),
      overSec: fc.constantFrom(1, 30, 600),
      listLagSec: lag,
      forMin: fc.constantFrom(0, 0, 0, 1, 5, 40),
      isIndexed: fc.boolean(),
      isUnlisted: fc.constantFrom(false, false, false, true),
    }),
    { maxLength: 40 },
  ),
  leavers: fc.array(fc.record({ subject, atMin: minute, count: fc.integer({ min: 1, max: 5 }) }), { maxLength: 10 }),
  flaps: fc.array(fc.record({ subject, atMin: minute, forMin: fc.integer({ min: 1, max: 30 }), by: fc.constantFrom(-2, -1, 1, 2) }), {
    maxLength: 6,
  }),
  gone: fc.array(fc.record({ subject, atMin: minute, forMin: fc.integer({ min: 1, max: 60 }) }), { maxLength: 2 }),
  faults: fc.array(
    fc.record({
      atMin: minute,
      forSec: fc.constantFrom(1, 30, 400),
      endpoint: fc.constantFrom("info-batch", "lists"),
      kind: fc.constantFrom("500", "429", "400"),
    }),
    { maxLength: 4 },
  ),
  crashes: fc.array(fc.record({ atMin: minute, steps: fc.integer({ min: 1, max: 200 }), downMin: fc.constantFrom(0, 2, 12) }), {
    maxLength: 2,
  }),
});

const RUNS = 20;

it("tells who came and who went exactly once, whatever counters, lists, the network and the process do", async () => {
  await fc.assert(
    fc.asyncProperty(scenarios, async (scenario) => {
      const { objections } = await simulateRosters(scenario);
      expect(objections).toEqual([]);
    }),
    { numRuns: RUNS, seed: 1 },
  );
});

/** Nothing fails, lists show at once what counters do: then nobody waits for a full poll. */
const calm = scenarios.map(
  (scenario): RosterScenario => ({
    ...scenario,
    frozen: [],
    flaps: [],
    gone: [],
    faults: [],
    crashes: [],
    leavers: [],
    follows: scenario.follows.map((follow) => ({ ...follow, listLagSec: 0, forMin: 0 })),
  }),
);

it("tells who came at the next tick while the service is well", async () => {
  await fc.assert(
    fc.asyncProperty(calm, async (scenario) => {
      const { objections, latestMin } = await simulateRosters(scenario);
      expect(objections).toEqual([]);
      // A tick, its spread, and the pages of a crowd.
      expect(latestMin).toBeLessThan(3);
    }),
    { numRuns: RUNS / 2, seed: 2 },
  );
});
