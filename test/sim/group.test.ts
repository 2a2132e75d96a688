import fc from "fast-check";
import { expect, it } from "vitest";
import { calmGroupScenarios, groupScenarios } from "./group-arbitrary.ts";
import { simulateGroup } from "./group-scenario.ts";

/**
 * A single run shows that scenarios can be played. test/long/scenarios.test.ts plays sixty random
 * ones of each kind.
 */
const RUNS = 1;

it("reports every post of a group exactly once, whatever counters, searches, names, the network and the process do", async () => {
  await fc.assert(
    fc.asyncProperty(groupScenarios, async (scenario) => {
      const { objections } = await simulateGroup(scenario);
      expect(objections).toEqual([]);
    }),
    { numRuns: RUNS, seed: 1 },
  );
});

it("reports every post within a few ticks while the service is well, with or without searches", async () => {
  await fc.assert(
    fc.asyncProperty(calmGroupScenarios, async (scenario) => {
      const { objections, latestMin } = await simulateGroup(scenario);
      expect(objections).toEqual([]);
      // A group that is read by searches is probed every fifth tick, to find accounts that the
      // searches do not show.
      expect(latestMin).toBeLessThan(scenario.way === "probe" ? 9 : 19);
    }),
    { numRuns: RUNS, seed: 2 },
  );
});
