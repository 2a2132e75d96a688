import { expect, it } from "vitest";
import type { Watch } from "../../src/model/watch.ts";
import { createCostModel } from "../../src/plan/cost.ts";
import { createForecast } from "../../src/plan/forecast.ts";
import { planPace, pricePolls } from "../../src/plan/pace.ts";
import { planPolls } from "../../src/plan/plan-polls.ts";
import { recheckCost } from "../../src/plan/recheck-cost.ts";
import { sha256 } from "../../src/runtime/hash.ts";
import { createTimetable } from "../../src/schedule/timetable.ts";
import { WATCH_TYPES } from "../../src/watches/registry.ts";
import { makeWatch } from "../support/make-watch.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 2, 2);

const follow = (id: string, everyMs: number): Watch =>
  makeWatch(id, "search", { query: id }, { schedule: { kind: "every", intervalMs: HOUR }, recheck: { everyMs, untilMs: 24 * HOUR } });

it("counts one request a tick, shared by the watches of an interval; nothing without recheck", () => {
  const cost = recheckCost([
    follow("a", 10 * MINUTE),
    follow("b", 10 * MINUTE),
    follow("c", HOUR),
    makeWatch("d", "search", { query: "d" }),
  ]);
  expect(cost.requestsPerDay).toBe(144 + 24);
  expect([...cost.byWatch]).toEqual([
    ["a", 72],
    ["b", 72],
    ["c", 24],
  ]);
  expect(recheckCost([])).toEqual({ requestsPerDay: 0, byWatch: new Map() });
});

it("is billed in the plan and by the governor, in total and by watch, and delays no alert", () => {
  const watches = [follow("a", 10 * MINUTE), follow("b", 10 * MINUTE)];
  const timetable = createTimetable();
  const planned = watches.map((watch) => {
    const type = WATCH_TYPES.find((one) => one.type === watch.type);
    if (type === undefined) throw new Error("no type");
    const target = {
      watchKey: watch.id,
      key: watch.id,
      name: watch.id,
      userId: null,
      username: null,
      registeredAtMs: 0,
      baselineAtMs: null,
    };
    return {
      watch,
      type,
      watchKey: watch.id,
      paused: false,
      targets: [{ ...target, memory: {}, revision: 0, status: "ok" as const, statusReason: "" }],
    };
  });
  const polls = planPolls(planned, { hash: sha256, timetable, nowMs: NOW });
  const [bare, billed] = [undefined, recheckCost(watches)].map((rechecks) =>
    createForecast(polls, { timetable, nowMs: NOW, ...(rechecks === undefined ? {} : { rechecks }) }),
  );
  expect((billed?.requestsPerDay ?? 0) - (bare?.requestsPerDay ?? 0)).toBe(144);
  expect(billed?.requestsPerMonth).toBe((billed?.requestsPerDay ?? 0) * 30);
  const [before, after] = [bare?.watches.get("a"), billed?.watches.get("a")];
  expect(after?.rechecksPerDay).toBe(72);
  expect((after?.requestsPerDay ?? 0) - (before?.requestsPerDay ?? 0)).toBe(72);
  expect(after?.delay).toEqual(before?.delay);
  const pace = planPace(pricePolls(polls, createCostModel({ timetable }), NOW), { high: 1, normal: 2, low: 1 });
  expect(pace.askedPerDay).toBeCloseTo(billed?.requestsPerDay ?? 0, 6);
  expect(pace.watches.get("a")?.pacedPerDay).toBeCloseTo((after?.requestsPerDay ?? 0) / 2, 6);
});
