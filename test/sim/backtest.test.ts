/**
 * Backtests of changed configurations, against simulations of the same worlds that ran with these
 * from the start. All of it is `npm run sim -- --changed`, and 1,000 seeds are in
 * `npm run test:long`.
 */
import { beforeAll, expect, it } from "vitest";
import { checkBacktest } from "./backtest/check-backtest.ts";
import { checkChanged } from "./backtest/check-changed.ts";
import { drawScenario, drawUnlimited } from "./draw/draw-scenario.ts";
import { warmUp } from "./run/warm-up.ts";

beforeAll(warmUp);

/**
 * Their changes add alerts, take some away, and send others elsewhere: conditions, thresholds of
 * values, routes, de-duplication, mutes.
 */
const SEEDS = [8, 11, 13, 23];

it.each(SEEDS)(
  "replays what a daemon with the changed configuration recorded, seed %i",
  async (seed) => {
    const { objections, alike, changed } = await checkChanged(drawScenario(seed));
    expect(objections).toEqual([]);
    expect(changed).toBeGreaterThan(0);
    expect(alike).toBe(1);
  },
);

/** Two watches find the same posts in one commit, and the alerts of one wait for an enrichment. */
it("replays what is enriched after the other alerts of its commit, seed 144", async () => {
  const { objections, counts } = await checkBacktest(drawUnlimited(144));
  expect(objections).toEqual([]);
  expect(counts.alerts).toBeGreaterThan(0);
});

/**
 * Seed 144: an alert is sent before somebody snoozes it. Seed 216: a silence begins before an alert
 * is routed. If alerts were routed when they are found, the replay would differ.
 */
it.each([144, 216])("routes an enriched alert when its answer came, seed %i", async (seed) => {
  const { objections, counts } = await checkBacktest(drawScenario(seed));
  expect(objections).toEqual([]);
  expect(counts.alerts).toBeGreaterThan(0);
  expect(counts.explained).toBe(0);
});
