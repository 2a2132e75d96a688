import fc from "fast-check";
import { expect, it } from "vitest";
import { calmRosterScenarios, longLists, rosterScenarios } from "./roster-arbitrary.ts";
import { simulateRosters } from "./roster-scenario.ts";

/**
 * A single run shows that scenarios can be played. test/long/scenarios.test.ts plays sixty random
 * ones of each kind.
 */
const RUNS = 1;

it("reports each join and each leave exactly once, whatever counters, lists, the network and the process do", async () => {
  await fc.assert(
    fc.asyncProperty(rosterScenarios, async (scenario) => {
      const { objections } = await simulateRosters(scenario);
      expect(objections).toEqual([]);
    }),
    { numRuns: RUNS, seed: 1 },
  );
});

it("reports newcomers of long lists exactly once, while the rest of the lists is still being read", async () => {
  await fc.assert(
    fc.asyncProperty(longLists, async (scenario) => {
      const { objections } = await simulateRosters(scenario);
      expect(objections).toEqual([]);
    }),
    { numRuns: RUNS, seed: 3 },
  );
});

it("reports a join at the next tick while the service is well", async () => {
  await fc.assert(
    fc.asyncProperty(calmRosterScenarios, async (scenario) => {
      const { objections, latestMin } = await simulateRosters(scenario);
      expect(objections).toEqual([]);
      // The bound consists of a tick, its spread, and the pages of a crowd.
      expect(latestMin).toBeLessThan(3);
    }),
    { numRuns: RUNS, seed: 2 },
  );
});
