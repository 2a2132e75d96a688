/** What the plan says that freshness costs, beside what was asked, where posts come in bursts that no rate shows. */
import { expect, it } from "vitest";
import { sleep } from "../../src/model/clock.ts";
import type { UpstreamRequest } from "../../src/model/upstream.ts";
import { createForecast } from "../../src/forecast/forecast.ts";
import { createTimetable } from "../../src/schedule/timetable.ts";
import { createAccountsWorld } from "../support/accounts-world.ts";
import { startEngineHarness } from "../support/engine-harness.ts";
import { makeWatch } from "../support/make-watch.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2);
const MIN = 60_000;
const HOUR = 60 * MIN;
const DAY = 24 * HOUR;
const ACCOUNTS = 150;
const DAYS = 14;
/** A day's bill moves by some 6% with its bursts. */
const BILLED_DAYS = 6;

/** Bursts a day; eight posts within minutes each. */
const RATES = [0.1, 0.2, 0.3, 0.6, 1.2];

it("agrees with the bill of a group that was counted for five days", { timeout: 300_000 }, async () => {
  const clock = createVirtualClock(START);
  const random = createSeededRandom(5);
  const exponential = (meanMs: number) => -Math.log(1 - random.float()) * meanMs;
  const world = createAccountsWorld();
  for (let i = 0; i < ACCOUNTS; i += 1) {
    const account = world.add(`a${i}`);
    const gapMs = DAY / (RATES[i % RATES.length] ?? 1);
    for (let atMs = START - 20 * DAY + exponential(gapMs); atMs < START + DAYS * DAY; atMs += HOUR + exponential(gapMs))
      for (let post = 0; post < 8; post += 1) world.post(account, Math.floor(atMs + post * 3 * MIN), { searchLagMs: 500 });
  }
  let calls = 0;
  const upstream = {
    async call(request: UpstreamRequest) {
      calls += 1;
      await sleep(clock, 40);
      return world.answer(request, clock.now());
    },
  };
  const accounts = world.accounts.map(({ id }) => `id:${id}`);
  const watch = makeWatch("w", "timeline", { accounts }, { freshness: { kind: "mean", meanMs: 2 * MIN, maxMs: 2 * HOUR } });
  const harness = await startEngineHarness({ clock, upstream, watches: [watch] });
  try {
    // Two days of learning come first.
    await clock.advance(7 * DAY + HOUR);
    // The engine plans by what it has learned when it starts.
    await harness.restart();
    await clock.advance(1_000);
    const forecast = createForecast(harness.engine.polls, { timetable: createTimetable(), nowMs: clock.now() });
    const before = calls;
    await clock.advance(BILLED_DAYS * DAY);
    const ratio = (forecast.requestsPerDay * BILLED_DAYS) / (calls - before);
    expect(ratio).toBeGreaterThan(0.95);
    expect(ratio).toBeLessThan(1.05);
  } finally {
    await harness.close();
  }
});
