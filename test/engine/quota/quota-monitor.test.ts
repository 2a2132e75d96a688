/**
 * Tests that the quota spare for further pages is given out once, however many replicas there are,
 * and what setting the pace reads.
 */
import { expect, it } from "vitest";
import { QuotaMonitor } from "../../../src/engine/quota/quota-monitor.ts";
import type { Poll } from "../../../src/polling/watch-poll.ts";
import { planPolls, targetsOf } from "../../../src/plan/polls/plan-polls.ts";
import { assumeTargets } from "../../../src/forecast/forecast.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { createTimetable } from "../../../src/schedule/timetable.ts";
import { WATCH_TYPES } from "../../../src/watches/registry.ts";
import { rememberingLog } from "../../state/temp-state.ts";
import { createLearnedInMemory } from "../../support/learned-store.ts";
import { makeWatch } from "../../support/make-watch.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const NOW = Date.UTC(2026, 2, 2);
const timetable = createTimetable();
const [type] = WATCH_TYPES.filter((one) => one.type === "search");

const polls: readonly Poll[] = planPolls(
  ["acme", "bolt", "crane", "delta"].map((query) => {
    if (type === undefined) throw new Error("no type");
    const watch = makeWatch(query, "search", { query });
    return {
      watch,
      type,
      watchKey: query,
      paused: false,
      targets: assumeTargets(query, targetsOf(sha256, watch, type), []),
    };
  }),
  { hash: sha256, timetable, nowMs: NOW },
);

/**
 * The further pages that all replicas on one state have reserved, each with the replica that did
 * so.
 */
type Entries = unknown[];

/** Creates the quota monitor of a replica on a state. */
function makeQuotaMonitor({
  isLeading = true,
  entries = [],
}: {
  readonly isLeading?: boolean;
  readonly entries?: Entries;
} = {}) {
  const clock = createVirtualClock(NOW);
  const asked: string[] = [];
  const learned = createLearnedInMemory();
  const watch = new QuotaMonitor({
    ledger: {
      async spentByKey() {
        asked.push("by key");
        return new Map();
      },
      async spentSince() {
        asked.push("by watch");
        return { total: 0, lines: [] };
      },
      countFurtherPages: async (afterId = entries.length) => ({
        pages: entries.length - afterId,
        lastId: entries.length,
      }),
    },
    learned,
    notes: { readNote: async () => null, writeNote: async () => undefined },
    ...{ clock, timetable, log: rememberingLog() },
    meter: { count: () => undefined, set: () => undefined, observe: () => undefined },
    settings: () => ({
      monthly: 1_000_000,
      reserve: 0,
      resetDay: 1,
      timezone: "UTC",
      onExhausted: "pause",
    }),
    keys: () => [{ name: "", limit: undefined, isUsable: true }],
    polls: () => polls,
    share: { isAlone: false, isLeading: () => isLeading },
    states: async () => [],
    onRefreshed: async () => undefined,
    onPaceChanged: () => undefined,
  });
  return { watch, clock, asked, learned };
}

/** Reads all pages that a replica may read at once, and returns their number. */
function readAll(
  { pages }: QuotaMonitor,
  entries: Entries,
  most = Number.POSITIVE_INFINITY,
): number {
  let count = 0;
  for (; count < most && pages.mayReadOn(`source ${count}`, "high"); count += 1) {
    pages.entered();
    entries.push(pages);
    // Returns the reservation for the rest of the walk.
    pages.begin(`source ${count}`);
  }
  return count;
}

it("lets each replica read on as much as one that is alone, and all together no more than that", async () => {
  const entries: Entries = [];
  const [one, other, alone] = [
    makeQuotaMonitor({ entries }),
    makeQuotaMonitor({ isLeading: false, entries }),
    makeQuotaMonitor(),
  ].map(({ watch }) => watch) as [QuotaMonitor, QuotaMonitor, QuotaMonitor];
  for (const replica of [one, other, alone]) await replica.refresh(polls);
  const all = readAll(alone, []);
  expect(all).toBeGreaterThan(1_000);
  expect(readAll(one, entries, 100)).toBe(100);
  await other.refresh(polls);
  expect(readAll(other, entries)).toBe(all - 100);
  await one.refresh(polls);
  expect(readAll(one, entries)).toBe(0);
});

it("sets the pace every minute by what each key spent, and asks what each watch spent once an hour", async () => {
  const { watch, clock, asked, learned } = makeQuotaMonitor();
  watch.start();
  await clock.advance(30 * 60_000 + 1_000);
  watch.stop();
  expect(asked.filter((one) => one === "by key")).toHaveLength(30);
  expect(asked.filter((one) => one === "by watch")).toHaveLength(1);
  expect(learned.writes.map(({ scope }) => scope)).toEqual(["counted_days"]);
});

it("counts the days in one replica for all of them", async () => {
  const { watch, clock, asked, learned } = makeQuotaMonitor({ isLeading: false });
  watch.start();
  await clock.advance(150 * 60_000);
  watch.stop();
  expect(asked).not.toContain("by watch");
  expect(learned.writes).toEqual([]);
});
