/**
 * Tests backtests of simulated worlds with restarts and outages against the states that these left.
 * `npm run sim -- --backtest` runs more, and `npm run test:long` 1,000 seeds.
 */
import { beforeAll, expect, it } from "vitest";
import { checkBacktest } from "../../sim/backtest/check-backtest.ts";
import { drawScenario } from "../../sim/draw/draw-scenario.ts";
import { warmUp } from "../../sim/run/warm-up.ts";

beforeAll(warmUp);

/**
 * These seeds have duplicates, silences, deleted posts, mutes, posts that are too old, enrichments
 * and watches that ignore.
 */
const SEEDS = [8, 11, 12, 15, 17];

it.each(SEEDS)("replays what the state recorded, seed %i", async (seed) => {
  const { objections, counts } = await checkBacktest(drawScenario(seed));
  expect(objections).toEqual([]);
  expect(counts.alerts).toBeGreaterThan(0);
});
