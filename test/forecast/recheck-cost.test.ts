import { expect, it } from "vitest";
import type { Watch } from "../../src/model/watch.ts";
import { createCostModel } from "../../src/forecast/cost.ts";
import { createForecast } from "../../src/forecast/forecast.ts";
import { planPace, pricePolls } from "../../src/forecast/pace.ts";
import { planPolls } from "../../src/plan/polls/plan-polls.ts";
import { recheckCost } from "../../src/forecast/recheck-cost.ts";
import { sha256 } from "../../src/runtime/hash.ts";
import { createTimetable } from "../../src/schedule/timetable.ts";
import { WATCH_TYPES } from "../../src/watches/registry.ts";
import { makeWatch } from "../support/make-watch.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 2, 2);

const follow = (id: string, everyMs: number): Watch =>
  makeWatch(id, "search", { query: id }, { schedule: { kind: "every", intervalMs: HOUR }, recheck: { everyMs, untilMs: 24 * HOUR } });

const sumOf = ({ byWatch }: ReturnType<typeof recheckCost>) => [...byWatch.values()].reduce((sum, requests) => sum + requests, 0);

it("counts a request a recheck where nothing is known, and rechecks of several intervals that fall together once", () => {
  const cost = recheckCost([
    follow("a", 10 * MINUTE),
    follow("b", 10 * MINUTE),
    follow("c", HOUR),
    makeWatch("d", "search", { query: "d" }),
  ]);
  expect(cost.requestsPerDay).toBeCloseTo(144);
  expect(sumOf(cost)).toBeCloseTo(144);
  // Every hour three share a recheck, else two.
  expect([...cost.byWatch].map(([id, requests]) => [id, Math.round(requests)])).toEqual([
    ["a", 68],
    ["b", 68],
    ["c", 8],
  ]);
  expect(recheckCost([follow("a", 20 * MINUTE), follow("b", 30 * MINUTE)]).requestsPerDay).toBeCloseTo(72 + 48 - 24);
  expect(recheckCost([])).toEqual({ requestsPerDay: 0, byWatch: new Map() });
});

it("counts a request for each hundred begun, by how many tweets are fresh at once", () => {
  const perRecheck = (...fresh: readonly number[]) => {
    const watches = fresh.map((_, i) => follow(`w${i}`, 10 * MINUTE));
    const cost = recheckCost(watches, (id) => fresh[Number(id.slice(1))]);
    expect(sumOf(cost)).toBeCloseTo(cost.requestsPerDay);
    return cost.requestsPerDay / 144;
  };
  expect(perRecheck(0)).toBe(0);
  expect(perRecheck(0.1)).toBeCloseTo(0.095, 2);
  expect(perRecheck(50)).toBeCloseTo(1, 2);
  expect(perRecheck(30, 30, 30)).toBeCloseTo(perRecheck(90));
  expect(perRecheck(150)).toBeCloseTo(2, 1);
  // One in six rechecks meets more than a hundred: posts come in bursts.
  expect(perRecheck(80)).toBeCloseTo(1 + 1 / 8, 1);
  expect(perRecheck(1_000)).toBeCloseTo(10.5, 1);
});

it("distinguishes watches of one recheck by how much each follows", () => {
  const cost = recheckCost([follow("a", HOUR), follow("b", HOUR)], (id) => (id === "a" ? 300 : 100));
  expect((cost.byWatch.get("a") ?? 0) / (cost.byWatch.get("b") ?? 1)).toBeCloseTo(3);
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
  expect((billed?.requestsPerDay ?? 0) - (bare?.requestsPerDay ?? 0)).toBeCloseTo(144);
  expect(billed?.requestsPerMonth).toBe((billed?.requestsPerDay ?? 0) * 30);
  const [before, after] = [bare?.watches.get("a"), billed?.watches.get("a")];
  expect(after?.rechecksPerDay).toBeCloseTo(72);
  expect((after?.requestsPerDay ?? 0) - (before?.requestsPerDay ?? 0)).toBeCloseTo(72);
  expect(after?.delay).toEqual(before?.delay);
  const pace = planPace(pricePolls(polls, createCostModel({ timetable }), NOW), { high: 1, normal: 2, low: 1 });
  expect(pace.askedPerDay).toBeCloseTo(billed?.requestsPerDay ?? 0, 6);
  expect(pace.watches.get("a")?.pacedPerDay).toBeCloseTo((after?.requestsPerDay ?? 0) / 2, 6);
});
