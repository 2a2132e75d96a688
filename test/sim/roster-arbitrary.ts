/**
 * Generates what member lists can meet in three hours: people who join and leave, wrong counters,
 * lists in parts, faults and crashes.
 */
import fc from "fast-check";
import type { RosterScenario } from "./roster-scenario.ts";

const minute = fc.integer({ min: 1, max: 179 });
const subject = fc.integer({ min: 0, max: 29 });
const lag = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 1_800 }) },
);

const every = {
  seed: fc.integer({ min: 1, max: 1_000_000 }),
  way: fc.constantFrom("auto", "auto", "probe"),
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
  leavers: fc.array(fc.record({ subject, atMin: minute, count: fc.integer({ min: 1, max: 5 }) }), {
    maxLength: 10,
  }),
  returns: fc.array(
    fc.record({
      subject,
      atMin: minute,
      count: fc.constantFrom(1, 3, 25),
      forMin: fc.constantFrom(0.01, 1, 5, 30),
    }),
    {
      maxLength: 4,
    },
  ),
  flaps: fc.array(
    fc.record({
      subject,
      atMin: minute,
      forMin: fc.integer({ min: 1, max: 30 }),
      by: fc.constantFrom(-2, -1, 1, 2),
    }),
    {
      maxLength: 6,
    },
  ),
  gone: fc.array(fc.record({ subject, atMin: minute, forMin: fc.integer({ min: 1, max: 60 }) }), {
    maxLength: 2,
  }),
  faults: fc.array(
    fc.record({
      atMin: minute,
      forSec: fc.constantFrom(1, 30, 400),
      endpoint: fc.constantFrom("info-batch", "lists"),
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
} as const;

export const rosterScenarios: fc.Arbitrary<RosterScenario> = fc.record({
  ...every,
  subjects: fc.constantFrom(1, 3, 8, 30),
  list: fc.constantFrom("all", "indexed", "auto", "left"),
  followers: fc.constantFrom(3, 40, 450),
  pageSize: fc.constant(200),
  maxPages: fc.constant(10),
  cursors: fc.constantFrom("offsets", "entries"),
});

/**
 * Generates lists that take hours to read to their end. If cursors count entries, members move past
 * them unread when others leave. A reader that meets them later cannot distinguish them from
 * newcomers.
 */
export const longLists: fc.Arbitrary<RosterScenario> = fc
  .record({
    ...every,
    subjects: fc.constantFrom(1, 1, 3),
    list: fc.constant("all" as const),
    followers: fc.constantFrom(1_200, 3_000),
    pageSize: fc.constantFrom(60, 100),
    maxPages: fc.constantFrom(1, 2, 4),
    cursors: fc.constantFrom("offsets" as const, "entries" as const),
  })
  .map((scenario) =>
    scenario.cursors === "entries"
      ? scenario
      : {
          ...scenario,
          leavers: [],
          returns: [],
          follows: scenario.follows.map((follow) => ({ ...follow, forMin: 0 })),
        },
  );

/**
 * Scenarios with few followers at a time. With nothing failing and lists in step with their
 * counters, no account waits for a full poll.
 */
const fewAtOnce = longLists.map((scenario) => ({
  ...scenario,
  follows: scenario.follows.map((follow) => ({ ...follow, count: Math.min(follow.count, 4) })),
}));

export const calmRosterScenarios = fc.oneof(rosterScenarios, fewAtOnce).map(
  (scenario): RosterScenario => ({
    ...scenario,
    frozen: [],
    flaps: [],
    gone: [],
    faults: [],
    crashes: [],
    leavers: [],
    returns: [],
    follows: scenario.follows.map((follow) => ({ ...follow, listLagSec: 0, forMin: 0 })),
  }),
);
