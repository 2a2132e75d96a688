/** What the month can spare for further pages is given out once, by however many replicas; and what setting the pace reads. */
import { expect, it } from "vitest";
import { QuotaWatch } from "../../../src/engine/quota/quota-watch.ts";
import { shardOf } from "../../../src/model/replicas.ts";
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
    return { watch, type, watchKey: query, paused: false, targets: assumeTargets(query, targetsOf(sha256, watch, type), []) };
  }),
  { hash: sha256, timetable, nowMs: NOW },
);

/** Of a replica that does the polls with these numbers. */
function makeQuotaWatch(held: readonly number[], isLeading = true) {
  const shards = held.map((number) => shardOf(polls[number]?.key ?? ""));
  const clock = createVirtualClock(NOW);
  const asked: string[] = [];
  const learned = createLearnedInMemory();
  const watch = new QuotaWatch({
    ledger: {
      async spentByKey() {
        asked.push("by key");
        return new Map();
      },
      async spentSince() {
        asked.push("by watch");
        return { total: 0, lines: [] };
      },
    },
    learned,
    notes: { readNote: async () => null, writeNote: async () => undefined },
    ...{ clock, timetable, log: rememberingLog() },
    meter: { count: () => undefined, set: () => undefined, observe: () => undefined },
    settings: () => ({ monthly: 1_000_000, reserve: 0, resetDay: 1, timezone: "UTC", onExhausted: "pause" }),
    keys: () => [{ name: "", limit: undefined, isUsable: true }],
    polls: () => polls,
    share: { holds: (_, key) => shards.includes(key), isLeading: () => isLeading },
    states: async () => [],
    onRefreshed: async () => undefined,
    onPaceChanged: () => undefined,
  });
  return { watch, clock, asked, learned };
}

/** How many sources it lets read on at once. */
async function sourcesReadOn(...held: readonly number[]): Promise<number> {
  const { watch } = makeQuotaWatch(held);
  await watch.refresh(polls);
  let count = 0;
  while (watch.pages.mayReadOn(`source ${count}`, "high")) count += 1;
  return count;
}

it("lets replicas read on as much as their part of the polls, and one that does all as much as all of them", async () => {
  const all = await sourcesReadOn(0, 1, 2, 3);
  expect(all).toBeGreaterThan(100);
  expect(await sourcesReadOn(0)).toBe(Math.floor(all / 4));
  expect((await sourcesReadOn(0, 1)) + (await sourcesReadOn(2, 3))).toBeLessThanOrEqual(all);
});

it("sets the pace every minute by what each key spent, and asks what each watch spent once an hour", async () => {
  const { watch, clock, asked, learned } = makeQuotaWatch([0]);
  watch.start();
  await clock.advance(30 * 60_000 + 1_000);
  watch.stop();
  expect(asked.filter((one) => one === "by key")).toHaveLength(30);
  expect(asked.filter((one) => one === "by watch")).toHaveLength(1);
  expect(learned.writes.map(({ scope }) => scope)).toEqual(["counted_days"]);
});

it("counts the days in one replica for all of them", async () => {
  const { watch, clock, asked, learned } = makeQuotaWatch([0], false);
  watch.start();
  await clock.advance(150 * 60_000);
  watch.stop();
  expect(asked).not.toContain("by watch");
  expect(learned.writes).toEqual([]);
});
