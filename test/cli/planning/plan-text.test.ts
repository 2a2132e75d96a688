/** Tests what `plan` and `plan --diff` print, with plans made in this process. */
import { expect, it } from "vitest";
import { diffPlans } from "../../../src/operate/plan/plan-diff.ts";
import { planQuota } from "../../../src/operate/plan/plan-quota.ts";
import { createPlanView } from "../../../src/operate/plan/plan-view.ts";
import type { SlowDownFactors } from "../../../src/budget/slow-down.ts";
import { formatDiff } from "../../../src/cli/planning/plan-diff-text.ts";
import { formatPlan } from "../../../src/cli/planning/plan-text.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { goodConfig } from "../../config/load-text.ts";

const NOW = Date.UTC(2026, 2, 2);

/** Plans a single search with this interval. */
async function planOf(every: string, quota: string, more = "", slowDown?: SlowDownFactors) {
  const config = await goodConfig(`api: { quota: { ${quota} } }
watches: { s: { type: search, query: "acme lang:en", schedule: "@every ${every}"${more} } }
sinks: { t: { type: console } }
ops: { sink: t }
`);
  const quotaOfPlan = planQuota(config.api.quota.monthly, { failure: "" });
  return createPlanView(config, {
    hash: sha256,
    nowMs: NOW,
    quota: quotaOfPlan,
    states: [],
    slowDown: slowDown,
  });
}

it("counts one as one", async () => {
  expect(formatPlan(await planOf("1h", "monthly: 800"))).toContain(
    "Total: 1 poll, 1 request an hour, 24 a day, 720 a month.",
  );
  expect(formatPlan(await planOf("30m", "monthly: 8000"))).toContain("2 requests an hour");
  expect(formatPlan(await planOf("1h", "monthly: 1"))).toContain("Quota: 1 request, as configured");
});

it("says of a plan that reaches into the reserve what the daemon does then, which slows down more than what is low", async () => {
  expect((await planOf("10m", "monthly: 4500")).warnings).toEqual([
    "the plan reaches into the reserve: 4,320 of 4,500 requests a month, 4,050 before the reserve; polls are slowed down, low priority first",
  ]);
  expect((await planOf("10m", "monthly: 4500, on_exhausted: pause")).warnings.join()).toContain(
    "; polling stops there",
  );
});

it("compares what two plans cost, each at its own price", async () => {
  const at = (price: string) =>
    planOf("1h", `monthly: 5000${price === "" ? "" : `, price: { ${price} }`}`);
  const diff = async (before: string, after: string) =>
    diffPlans(await at(before), await at(after), { memory: [], stranded: [] });
  const moreExpensive = await diff("per_request: 0.01", "per_request: 0.03");
  expect(moreExpensive.total).toEqual({
    before: 720,
    after: 720,
    difference: 0,
    cost_difference: 14.4,
  });
  expect(formatDiff(moreExpensive)).toContain(
    "Total: 720 -> 720 requests a month, 0 (+$14.40); the quota is 5,000.",
  );
  expect((await diff("per_request: 0.03", "per_request: 0.01")).total.cost_difference).toBe(-14.4);
  expect((await diff("", "per_request: 0.01")).total.cost_difference).toBe(0);
  expect((await diff("per_request: 0.01", "")).total.cost_difference).toBeNull();
  expect(
    (await diff("per_request: 0.01", "per_request: 0.01, currency: €")).total.cost_difference,
  ).toBeNull();
});

it("says of next runs that a daemon which is short of requests makes them later", async () => {
  const planAt = (normal: number, more = "") =>
    planOf("1h", "monthly: 1000", more, { high: 1, normal, low: 7 });
  const slowed = await planAt(3.21);
  expect(slowed.watches[0]).toMatchObject({ next_runs_exact: false, stretch: 3.21 });
  expect(formatPlan(slowed)).toContain(
    "(in fact later: polls are 3.2 times slower now because the quota is short)",
  );
  const even = await planAt(1.01);
  expect(even.watches[0]).toMatchObject({ next_runs_exact: true, stretch: 1 });
  expect(formatPlan(even)).not.toContain("in fact later");
  expect((await planAt(1, ", priority: low")).watches[0]?.stretch).toBe(7);
  expect((await planOf("1h", "monthly: 1000")).watches[0]?.stretch).toBe(1);
});
