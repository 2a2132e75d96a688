import { describe, expect, it } from "vitest";
import { assumeTargets, createForecast } from "../../../src/forecast/forecast.ts";
import { groupPolls } from "../../../src/groups/group-polls.ts";
import type { Watch } from "../../../src/model/watch.ts";
import { planPolls, targetsOf } from "../../../src/plan/polls/plan-polls.ts";
import { searchesFor } from "../../../src/plan/polls/estimate.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { createTimetable } from "../../../src/schedule/timetable.ts";
import { WATCH_TYPES } from "../../../src/watches/registry.ts";
import { makeWatch, type WatchChanges } from "../../support/make-watch.ts";

const NOW = Date.UTC(2026, 2, 2);
const MEAN = { kind: "mean", meanMs: 60_000, maxMs: 3_600_000 } as const;
const P95 = { kind: "p95", p95Ms: 60_000 } as const;
const every = (seconds: number): WatchChanges => ({
  schedule: { kind: "every", intervalMs: seconds * 1_000 },
});

const timeline = (id: string, count: number, changes: WatchChanges, from = 1_000) =>
  makeWatch(
    id,
    "timeline",
    { accounts: Array.from({ length: count }, (_, i) => `id:${from + i}`) },
    { ...every(120), ...changes },
  );

/** Returns the range of requests a day of the first watch. */
function rangeOf(...watches: readonly [Watch, ...Watch[]]) {
  const timetable = createTimetable();
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
  const polls = groupPolls(planPolls(planned, { hash: sha256, timetable, nowMs: NOW }), {
    hash: sha256,
  });
  const { low = 0, high = 0 } =
    createForecast(polls, { timetable, nowMs: NOW }).watches.get(watches[0].id)?.range ?? {};
  return { low: low / 30, high: high / 30 };
}

describe("the range of a group of accounts", () => {
  it("is a probe for each hundred accounts and tick, and searches for what they post", () => {
    const { low, high } = rangeOf(timeline("t", 150, { strategy: "probe" }));
    expect(low).toBeCloseTo(1_440 + searchesFor(75, 720));
    expect(high).toBeCloseTo(1.1 * (1_440 + searchesFor(1_800, 720)));
  });

  it("has half to all of the even probes for a mean of up to a hundred accounts, and a quarter to half of those of more", () => {
    const few = rangeOf(timeline("t", 100, { freshness: MEAN }));
    expect(few.low).toBeCloseTo(360 + searchesFor(50, 360));
    expect(few.high).toBeCloseTo(1.1 * (720 + searchesFor(1_200, 720)));
    const many = rangeOf(timeline("t", 1_000, { freshness: MEAN }));
    expect(many.low).toBeCloseTo(1_800 + searchesFor(500, 360));
    expect(many.high).toBeCloseTo(1.1 * (3_600 + searchesFor(12_000, 720)));
  });

  it("has the rounds of a p95, of which the busy accounts of many take part", () => {
    const rounds = 86_400 / (58 / 0.955);
    expect(rangeOf(timeline("t", 20, { freshness: P95 })).low).toBeCloseTo(
      rounds + searchesFor(10, rounds),
    );
    const many = rangeOf(timeline("t", 400, { freshness: P95 }));
    expect(many.low).toBeCloseTo(86_400 / 58 + searchesFor(200, 86_400 / 58));
    expect(many.high).toBeCloseTo(1.1 * ((86_400 / 58) * 2.5 + searchesFor(4_800, 86_400 / 58)));
  });

  it("has no probe of its own at least, where others request profiles", () => {
    const alone = rangeOf(timeline("t", 20, { freshness: P95 }));
    const beside = rangeOf(
      timeline("t", 20, { freshness: P95 }),
      timeline("o", 40, every(60), 2_000),
    );
    expect(beside.high).toBeCloseTo(alone.high);
    expect(beside.low).toBeLessThan(20);
  });

  it("has half to all of the configured full polls", () => {
    const often = rangeOf(timeline("t", 100, { strategy: "probe", fullPollEveryMs: 3_600_000 }));
    const plain = rangeOf(timeline("t", 100, { strategy: "probe" }));
    const searches = Math.round(often.high - plain.high);
    expect(searches % 24).toBe(0);
    expect(often.low - plain.low).toBeCloseTo(searches / 2);
  });

  it("is each account's own poll where none is shared", () => {
    expect(rangeOf(timeline("t", 18, { strategy: "single" }))).toEqual({
      low: expect.closeTo(18 * 720),
      high: expect.closeTo(18 * 720),
    });
  });
});
