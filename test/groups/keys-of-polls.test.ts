/**
 * Tests that replicas which plan independently agree on the keys of polls. Keys depend only on the
 * configuration and on the targets.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { assumeTargets } from "../../src/forecast/forecast.ts";
import { groupPolls, PLANNER_VERSION } from "../../src/groups/group-polls.ts";
import type { Priority, Schedule, StrategyOverride } from "../../src/model/schedule.ts";
import type { Watch } from "../../src/model/watch.ts";
import { planPolls, targetsOf } from "../../src/plan/polls/plan-polls.ts";
import { sha256 } from "../../src/runtime/hash.ts";
import { createTimetable } from "../../src/schedule/timetable.ts";
import { WATCH_TYPES } from "../../src/watches/registry.ts";
import { makeWatch } from "../support/make-watch.ts";

const NOW = Date.UTC(2026, 0, 15, 12, 0, 0);

interface Learned {
  readonly nowMs: number;
  /** The number of pages of each list, by its position. */
  readonly pages: readonly number[];
}

/** Returns every poll with the targets that it reads together. */
function keysOf(watches: readonly Watch[], { nowMs, pages }: Learned): readonly string[] {
  const planned = watches.map((watch) => {
    const type = WATCH_TYPES.find((one) => one.type === watch.type);
    if (type === undefined) throw new Error("no type");
    return {
      watch,
      type,
      watchKey: watch.id,
      paused: false,
      targets: assumeTargets(watch.id, targetsOf(sha256, watch, type), []),
    };
  });
  const single = planPolls(planned, { hash: sha256, timetable: createTimetable(), nowMs });
  const pagesOf = ({ key }: { readonly key: string }) =>
    pages[single.findIndex((poll) => poll.key === key) % pages.length] ?? 1;
  return groupPolls(single, { hash: sha256, pagesOf }).map(({ key, subscribers, group }) =>
    [
      key,
      ...subscribers.map(({ watchKey, targetKey }) => `${watchKey} ${targetKey}`),
      ...(group?.members ?? []).map((one) => one.key),
    ].join(),
  );
}

const every = (hours: number): Schedule => ({ kind: "every", intervalMs: hours * 3_600_000 });
const SCHEDULES: readonly Schedule[] = [
  every(0.05),
  every(6),
  { kind: "cron", pattern: "*/10 8-18 * * *", timezone: "UTC" },
];
const STRATEGIES: readonly StrategyOverride[] = ["auto", "single", "probe"];

const anyWatch = fc
  .record({
    type: fc.constantFrom(
      "timeline",
      "followers",
      "following",
      "new_followers",
      "profile",
      "search",
    ),
    targets: fc.uniqueArray(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 8 }),
    schedule: fc.constantFrom(...SCHEDULES),
    priority: fc.constantFrom<Priority>("normal", "low"),
    strategy: fc.constantFrom(...STRATEGIES),
  })
  .map(({ type, targets, ...changes }) => (id: string) => {
    const accounts = targets.map((n) => `id:${n}`);
    if (type === "search")
      return makeWatch(
        id,
        type,
        { query: `acme${targets[0] ?? 0}` },
        { ...changes, strategy: "auto" },
      );
    return makeWatch(id, type, { accounts }, changes);
  });

const learned = fc.record({
  nowMs: fc.integer({ min: NOW, max: NOW + 86_400_000 }),
  pages: fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 6 }),
});

it("are the same whatever was learned, and whenever it is planned", () => {
  fc.assert(
    fc.property(
      fc.array(anyWatch, { minLength: 1, maxLength: 6 }),
      learned,
      learned,
      (makers, one, other) => {
        const all = makers.map((make, at) => make(`w${at}`));
        expect(keysOf(all, one)).toEqual(keysOf(all, other));
      },
    ),
  );
});

it("a list by itself is read with those of its schedule, however these are read", () => {
  const long = makeWatch(
    "long",
    "followers",
    { accounts: ["id:1", "id:2", "id:4", "id:5", "id:6", "id:7"] },
    { schedule: every(6), maxPages: 1 },
  );
  const alone = makeWatch(
    "alone",
    "new_followers",
    { accounts: ["id:3"] },
    { schedule: every(6), priority: "low" },
  );
  expect(keysOf([long, alone], { nowMs: NOW, pages: [1] })).toEqual(
    keysOf([long, alone], { nowMs: NOW, pages: [50] }),
  );
});

it("are those of this version of the planner: where they change, count PLANNER_VERSION up, and write the new ones here", () => {
  const types = ["timeline", "followers", "new_followers", "profile", "search", "search"] as const;
  const settings = types.flatMap((type) =>
    STRATEGIES.flatMap((strategy) => SCHEDULES.map((schedule) => ({ type, strategy, schedule }))),
  );
  const all = settings.map(({ type, ...changes }, at) =>
    makeWatch(
      `w${at}`,
      type,
      type === "search" ? { query: `acme${at}` } : { accounts: [`id:${at}`, `id:${at + 1_000}`] },
      changes,
    ),
  );
  const keys = sha256(keysOf(all, { nowMs: NOW, pages: [1] }).join(" "));
  expect([PLANNER_VERSION, keys]).toEqual([1, "fMEW9vMfEUWfmIR_dp3Jtk"]);
});
