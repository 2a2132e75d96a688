/**
 * Generates what a group of accounts can meet in three hours: posts, wrong counters, renames,
 * accounts that disappear, faults and crashes.
 */
import fc from "fast-check";
import type { GroupScenario } from "./group-scenario.ts";

const minute = fc.integer({ min: 1, max: 179 });
const account = fc.integer({ min: 0, max: 29 });
const lag = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 600 }) },
);

export const groupScenarios: fc.Arbitrary<GroupScenario> = fc.record({
  seed: fc.integer({ min: 1, max: 1_000_000 }),
  accounts: fc.constantFrom(3, 8, 30),
  way: fc.constantFrom("auto", "probe", "mean", "p95"),
  sharing: fc.constantFrom("none", "half", "others"),
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
  flaps: fc.array(
    fc.record({
      account,
      atMin: minute,
      forMin: fc.integer({ min: 1, max: 30 }),
      by: fc.constantFrom(-2, -1, 1, 2),
    }),
    {
      maxLength: 6,
    },
  ),
  renames: fc.array(fc.record({ account, atMin: minute }), { maxLength: 4 }),
  gone: fc.array(fc.record({ account, atMin: minute, forMin: fc.integer({ min: 1, max: 60 }) }), {
    maxLength: 2,
  }),
  faults: fc.array(
    fc.record({
      atMin: minute,
      forSec: fc.constantFrom(1, 30, 400),
      endpoint: fc.constantFrom("info-batch", "search-tweets", "user-tweets"),
      kind: fc.constantFrom("500", "429", "400"),
    }),
    { maxLength: 4 },
  ),
  crashes: fc.array(
    fc.record({
      atMin: minute,
      steps: fc.integer({ min: 1, max: 200 }),
      downMin: fc.constantFrom(0, 2, 12),
    }),
    {
      maxLength: 2,
    },
  ),
});

/**
 * Scenarios in which nothing fails and nothing is deleted. Counters then suffice, and no account
 * waits for a full poll.
 */
export const calmGroupScenarios = groupScenarios.map(
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
