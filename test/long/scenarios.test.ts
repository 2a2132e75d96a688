/**
 * Plays feeds, groups, member lists and searches of the engine in scenarios of random seeds. A
 * failure prints its seed and the smallest scenario that fails.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { feedScenarios } from "../sim/feed-arbitrary.ts";
import { simulateFeed } from "../sim/feed-scenario.ts";
import { calmGroupScenarios, groupScenarios } from "../sim/group-arbitrary.ts";
import { simulateGroup } from "../sim/group-scenario.ts";
import { calmRosterScenarios, longLists, rosterScenarios } from "../sim/roster-arbitrary.ts";
import { simulateRosters } from "../sim/roster-scenario.ts";
import { searchScenarios } from "../sim/search-arbitrary.ts";
import { simulateSearches } from "../sim/search-scenario.ts";

interface Played {
  readonly objections: readonly string[];
  readonly latestMin?: number;
}

const RUNS = 60;
const LONG_MS = 1_800_000;

/** Plays random seeds. fast-check prints the seed of a failure. */
async function playMany<Scenario>(
  scenarios: fc.Arbitrary<Scenario>,
  simulate: (scenario: Scenario) => Promise<Played>,
  limitMin: (scenario: Scenario) => number = () => Number.POSITIVE_INFINITY,
): Promise<void> {
  const property = fc.asyncProperty(scenarios, async (scenario) => {
    const { objections, latestMin = 0 } = await simulate(scenario);
    expect(objections).toEqual([]);
    expect(latestMin).toBeLessThan(limitMin(scenario));
  });
  await fc.assert(property, { numRuns: RUNS });
}

it(
  "alerts of every new tweet of a feed exactly once",
  () => playMany(feedScenarios, simulateFeed),
  LONG_MS,
);

it(
  "does so where freshness places the reads of the feed",
  async () => {
    await playMany(feedScenarios, (scenario) => simulateFeed({ ...scenario, isFresh: true }));
  },
  LONG_MS,
);

it(
  "alerts of every post of a group exactly once",
  () => playMany(groupScenarios, simulateGroup),
  LONG_MS,
);

it(
  "alerts of every post of a group within a few ticks while the service is well",
  async () => {
    await playMany(calmGroupScenarios, simulateGroup, ({ way }) => (way === "probe" ? 9 : 19));
  },
  LONG_MS,
);

it(
  "alerts of who came to a list and who left it exactly once",
  () => playMany(rosterScenarios, simulateRosters),
  LONG_MS,
);

it(
  "alerts of newcomers of long lists exactly once, while the rest of these is still being read",
  async () => {
    await playMany(longLists, simulateRosters);
  },
  LONG_MS,
);

it(
  "alerts of who came to a list at the next tick while the service is well",
  async () => {
    await playMany(calmRosterScenarios, simulateRosters, () => 3);
  },
  LONG_MS,
);

it(
  "alerts of every tweet once for every search that finds it",
  () => playMany(searchScenarios, simulateSearches),
  LONG_MS,
);

it(
  "does so where freshness places the reads of the searches",
  async () => {
    await playMany(searchScenarios, (scenario) => simulateSearches({ ...scenario, isFresh: true }));
  },
  LONG_MS,
);
