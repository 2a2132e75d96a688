import { expect, it } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import type { WatchState } from "../../src/model/watch-store.ts";
import { freshTweets } from "../../src/forecast/fresh-tweets.ts";
import { firstRate } from "../../src/plan/rates/rates.ts";
import { makeWatch } from "../support/make-watch.ts";
import { createSeededRandom } from "../support/seeded-random.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 2, 10);

const recheck = { everyMs: 600_000, untilMs: 48 * HOUR };
const watch = makeWatch("a", "search", { query: "acme" }, { recheck });

const stateOf = (days: number, knownItems: number, pages: readonly (JsonObject | undefined)[] = [], followedTweets = 0): WatchState => ({
  key: "a",
  id: "a",
  type: "search",
  registeredAtMs: NOW - days * DAY,
  paused: false,
  targets: pages.map((page, index) => ({
    watchKey: "a",
    key: `${index}`,
    name: `${index}`,
    userId: null,
    username: null,
    registeredAtMs: NOW - days * DAY,
    baselineAtMs: NOW - days * DAY,
    memory: page === undefined ? {} : { page },
    revision: 1,
    status: "ok",
    statusReason: "",
  })),
  knownItems,
  followedTweets,
  accounts: {},
});

const freshOf = (state: WatchState, intervalMs = 0, followed = watch) => freshTweets(followed, [state], NOW, intervalMs);

it("counts by the first page and by what was noted since, each for its days", () => {
  // 18 posts in 9 days, then 42 in 3 days: 60 in 12 days.
  const page = { posts: 18, days: 9, tweets: 20, wanted: 20 };
  expect(freshOf(stateOf(3, 62, [page]))).toBeCloseTo(10);
  expect(freshOf(stateOf(0, 20, [page]))).toBeCloseTo(4);
  // From half of an hour after its posting, when it is found on average.
  expect(freshOf(stateOf(0, 20, [page]), HOUR)).toBeCloseTo((2 * 47.5) / 24);
});

it("leaves out what the watch does not want, of each feed its own part", () => {
  const calm = { posts: 18, days: 18, tweets: 20, wanted: 20 };
  const busy = { posts: 18, days: 1, tweets: 20, wanted: 0 };
  const both = freshOf(stateOf(0, 40, [calm, busy])) ?? 0;
  // 2 of the calm one, none of the 36 of the busy one, but for the doubt that five tweets are worth.
  expect(both).toBeGreaterThan(2);
  expect(both).toBeLessThan(2 + 36 / 5);
  expect(freshOf(stateOf(0, 20, [{ ...calm, wanted: 5 }]))).toBeCloseTo(0.5);
});

it("knows nothing of watches that follow nothing, or that nobody has read", () => {
  expect(freshOf(stateOf(3, 20, [{ posts: 18, days: 9, tweets: 20, wanted: 20 }]), 0, makeWatch("a", "search", { query: "acme" }))).toBe(
    undefined,
  );
  expect(freshTweets(watch, [], NOW, 0)).toBeUndefined();
  expect(freshOf(stateOf(3, 0, [{ posts: 0, days: 1, tweets: 0, wanted: 0 }]))).toBe(0);
});

it("goes by what is followed, then by what was noted, where the first pages were read by an older version", () => {
  expect(freshOf(stateOf(4, 420, [undefined], 130))).toBe(130);
  // Half of the time it follows a tweet for.
  expect(freshOf(stateOf(1, 420, [undefined], 130))).toBe(260);
  expect(freshOf(stateOf(4, 420, [undefined]))).toBe(200);
  expect(freshOf(stateOf(0.1, 420, [undefined], 130))).toBeUndefined();
});

/** Days of an account are quiet, usual or loud, threefold: one day says little, and the first pages are mostly of the same few days. */
it("is less misled by a day than its tweets alone, over many worlds", () => {
  const worlds = Array.from({ length: 40 }, (_, seed) => {
    const { float } = createSeededRandom(seed + 1);
    const loudness = () => (float() < 0.5 ? 0.4 : float() < 0.7 ? 1 : 3);
    const rates = Array.from(
      { length: 30 },
      () => 0.4 * Math.exp(2 * Math.sqrt(-2 * Math.log(1 - float())) * Math.cos(2 * Math.PI * float())),
    );
    let noted = 0;
    let firstDay = 0;
    const pages = rates.map((rate) => {
      const dates: number[] = [];
      for (let day = 0; day > -60; day -= 1)
        for (let mean = rate * loudness(), at = -Math.log(1 - float()); at < mean; at -= Math.log(1 - float()))
          dates.push(NOW - DAY + (day - float()) * DAY);
      for (let mean = rate * loudness(), at = -Math.log(1 - float()); at < mean; at -= Math.log(1 - float())) firstDay += 1;
      const shown = dates.sort((a, b) => b - a).slice(0, 20);
      noted += shown.length;
      const { posts, days } = firstRate(shown, NOW - DAY);
      return { posts, days, tweets: shown.length, wanted: shown.length };
    });
    const truth = 2 * rates.reduce((sum, rate) => sum + rate, 0);
    return { off: (freshOf(stateOf(1, noted + firstDay, pages)) ?? 0) / truth - 1, dayOff: (2 * firstDay) / truth - 1 };
  });
  const spread = (of: (one: (typeof worlds)[number]) => number) =>
    Math.sqrt(worlds.reduce((sum, one) => sum + of(one) ** 2, 0) / worlds.length);
  const mean = worlds.reduce((sum, { off }) => sum + off, 0) / worlds.length;
  expect(spread(({ off }) => off)).toBeLessThan(0.8 * spread(({ dayOff }) => dayOff));
  // Three standard errors.
  expect(Math.abs(mean)).toBeLessThan((3 * spread(({ off }) => off)) / Math.sqrt(worlds.length));
});
