/** What the plan says that follower lists read in groups cost, beside what was asked for them. */
import { expect, it } from "vitest";
import { sleep } from "../../src/model/clock.ts";
import type { UpstreamRequest } from "../../src/model/upstream.ts";
import type { Watch } from "../../src/model/watch.ts";
import { createForecast } from "../../src/forecast/forecast.ts";
import { createTimetable } from "../../src/schedule/timetable.ts";
import { startEngineHarness } from "../support/engine-harness.ts";
import { createListsWorld } from "../support/lists-world.ts";
import { makeWatch, type WatchChanges } from "../support/make-watch.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const MIN = 60_000;
const DAY = 86_400_000;
const LEARNING_DAYS = 14;
const BILLED_DAYS = 10;

/** Followers a day, some of whom leave after a while: spread as posts are, half of the accounts under one in two days. */
const RATES = [0.05, 0.1, 0.2, 0.4, 0.8, 1.5, 3, 6];

async function compare(seed: number, subjects: number, watchOf: (ids: readonly string[]) => Watch, followers: number) {
  const clock = createVirtualClock(START);
  const random = createSeededRandom(seed);
  const world = createListsWorld();
  for (let i = 0; i < subjects; i += 1) {
    const subject = world.add();
    for (let k = 0; k < followers; k += 1) world.follow(subject, START - 30 * DAY + k);
    const perDay = RATES[i % RATES.length] ?? 0;
    for (let atMs = START; atMs < START + (LEARNING_DAYS + BILLED_DAYS + 1) * DAY; ) {
      atMs += (-Math.log(1 - random.float()) * DAY) / perDay;
      world.follow(subject, atMs, random.float() < 0.3 ? { untilMs: atMs + random.float() * DAY } : {});
    }
  }
  let calls = 0;
  const upstream = {
    async call(request: UpstreamRequest) {
      calls += 1;
      await sleep(clock, 40);
      return world.answer(request, clock.now());
    },
  };
  const harness = await startEngineHarness({ clock, upstream, watches: [watchOf(world.subjects.map(({ id }) => `id:${id}`))] });
  try {
    await clock.advance(LEARNING_DAYS * DAY);
    // The engine plans by what it has learned when it starts.
    await harness.restart();
    await clock.advance(1_000);
    const forecast = createForecast(harness.engine.polls, { timetable: createTimetable(), nowMs: clock.now() });
    const before = calls;
    await clock.advance(BILLED_DAYS * DAY);
    const ratio = (forecast.requestsPerDay * BILLED_DAYS) / (calls - before);
    return { strategies: forecast.watches.get("w")?.strategies, ratio };
  } finally {
    await harness.close();
  }
}

const every = (minutes: number): WatchChanges => ({ schedule: { kind: "every", intervalMs: minutes * MIN }, maxAgeMs: DAY });

/**
 * Over six seeds, one was off by 7% by its dice (newcomers; -3% on average) and by 5% (whole lists; -1%): followers come to few accounts, on
 * few days, and the full polls of the others wait for them. Of three, the mean is off by 4%; 10% would be a bias.
 */
const SEEDS = [7, 8, 9];

async function ratiosOf(subjects: number, watchOf: (ids: readonly string[]) => Watch, followers: number): Promise<readonly number[]> {
  const ratios: number[] = [];
  for (const seed of SEEDS) {
    const { strategies, ratio } = await compare(seed, subjects, watchOf, followers);
    expect(strategies).toEqual(["probe"]);
    ratios.push(ratio);
  }
  return ratios;
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

it("agrees with the bill for newcomers of many accounts", { timeout: 480_000 }, async () => {
  const watchOf = (accounts: readonly string[]) => makeWatch("w", "new_followers", { accounts, source: "all" }, every(60));
  expect(Math.abs(meanOf(await ratiosOf(40, watchOf, 5)) - 1)).toBeLessThan(0.1);
});

it("agrees with the bill for whole lists of two pages", { timeout: 480_000 }, async () => {
  const watchOf = (accounts: readonly string[]) => makeWatch("w", "followers", { accounts }, every(120));
  expect(Math.abs(meanOf(await ratiosOf(20, watchOf, 205)) - 1)).toBeLessThan(0.1);
});
