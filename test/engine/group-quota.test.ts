/** Tests accounts under freshness while the quota is short: the end of a month in virtual time. */
import { afterEach, describe, expect, it } from "vitest";
import type { Freshness } from "../../src/model/schedule.ts";
import { createAccountsWorld, serveWorld } from "../support/accounts-world.ts";
import { type EngineHarness, startEngineHarness } from "../support/engine-harness.ts";
import { makeWatch } from "../support/make-watch.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const PERIOD_END = Date.UTC(2026, 3, 1);
const ACCOUNTS = 120;

let harness: EngineHarness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

const MEAN: Freshness = { kind: "mean", meanMs: MINUTE, maxMs: 5 * MINUTE };
const P95: Freshness = { kind: "p95", p95Ms: MINUTE };

/**
 * Sets up accounts of which one posts every twelve minutes. First reads take one request for each
 * account.
 */
async function setup(freshness: Freshness, leftMs: number, monthly: number) {
  const clock = createVirtualClock(PERIOD_END - leftMs);
  const world = createAccountsWorld();
  for (let i = 0; i < ACCOUNTS; i += 1) {
    const account = world.add(`a${i}`);
    for (let atMs = clock.now() - 2 * DAY + i * 12 * MINUTE; atMs < PERIOD_END + DAY; atMs += DAY)
      world.post(account, atMs);
  }
  const { upstream, calls } = serveWorld(world, clock);
  const accounts = world.accounts.map(({ id }) => `id:${id}`);
  const watch = makeWatch(
    "w",
    "timeline",
    { accounts },
    { include: { reply: true, quote: true, retweet: true }, freshness },
  );
  harness = await startEngineHarness({
    clock,
    upstream,
    watches: [watch],
    isGoverned: true,
    onExhausted: "degrade",
    monthly,
    reserve: 0,
  });
  const callsIn = (fromMs: number, toMs: number): number =>
    calls.filter(({ atMs }) => atMs >= fromMs && atMs < toMs).length;
  return { clock, callsIn, harness };
}

describe.each([
  ["a mean", MEAN],
  ["95 of 100 posts", P95],
])("accounts with a limit for %s", (_name, freshness) => {
  it("are asked for until the quota's last hours, and at their own pace as soon as the next period begins", async () => {
    const { clock, callsIn, harness } = await setup(freshness, 8 * HOUR, ACCOUNTS + 80);
    await clock.advanceTo(PERIOD_END - 1);
    const hours = Array.from({ length: 8 }, (_, hour) =>
      callsIn(PERIOD_END - (8 - hour) * HOUR, PERIOD_END - (7 - hour) * HOUR),
    );
    // After the first reads about ten requests an hour are left.
    expect(Math.min(...hours.slice(1, 7))).toBeGreaterThan(3);
    expect(Math.max(...hours.slice(1))).toBeLessThan(20);
    const sumOf = (from: number, to: number) =>
      hours.slice(from, to).reduce((sum, count) => sum + count, 0);
    expect(sumOf(5, 8)).toBeGreaterThan(0.6 * sumOf(1, 4));
    expect(harness.quotaMonitor.status.factors.normal).toBeGreaterThan(5);
    await clock.advanceTo(PERIOD_END + 5 * MINUTE);
    expect(callsIn(PERIOD_END, clock.now())).toBeGreaterThan(3);
  });
});

it("accounts are asked for until the quota's last hours by a daemon that is killed every 25 minutes, too", async () => {
  const { clock, callsIn, harness } = await setup(MEAN, 8 * HOUR, ACCOUNTS + 80);
  while (clock.now() + 25 * MINUTE < PERIOD_END) {
    await clock.advance(25 * MINUTE);
    await harness.crash();
  }
  await clock.advanceTo(PERIOD_END - 1);
  const inHours = (fromHours: number, toHours: number): number =>
    callsIn(PERIOD_END - fromHours * HOUR, PERIOD_END - toHours * HOUR);
  expect(inHours(3, 1)).toBeGreaterThan(0.6 * inHours(7, 5));
});

it("accounts that join at the quota's line have their baseline out of the reserve, once, and the others wait", async () => {
  const clock = createVirtualClock(PERIOD_END - DAY);
  const world = createAccountsWorld();
  for (let i = 0; i < 13; i += 1) world.post(world.add(`a${i}`), clock.now() - HOUR - i);
  const { upstream, calls } = serveWorld(world, clock);
  const watchOf = (accounts: number) =>
    makeWatch(
      "w",
      "timeline",
      { accounts: world.accounts.slice(0, accounts).map(({ id }) => `id:${id}`) },
      { strategy: "probe" },
    );
  const limits = { isGoverned: true, onExhausted: "pause", monthly: 60, reserve: 0.5 } as const;
  harness = await startEngineHarness({ clock, upstream, watches: [watchOf(10)], ...limits });
  await clock.advance(3 * HOUR);
  expect(calls).toHaveLength(30);
  await harness.setWatches([watchOf(13)]);
  await clock.advance(10 * MINUTE);
  const later = calls.slice(30).map(({ endpoint }) => endpoint);
  expect(later.filter((endpoint) => endpoint === "user-tweets")).toHaveLength(3);
  expect(later.length).toBeLessThanOrEqual(4);
  const [state] = await harness.store.listWatches();
  expect(state?.targets.map(({ baselineAtMs }) => baselineAtMs === null)).toEqual(
    Array.from({ length: 13 }, () => false),
  );
});

it("accounts whose posts fill several pages of a search are read by it to its end although further pages have to wait", async () => {
  const clock = createVirtualClock(PERIOD_END - 30 * DAY);
  const world = createAccountsWorld();
  for (let i = 0; i < 18; i += 1) world.post(world.add(`a${i}`), clock.now() - HOUR - i);
  const { upstream, calls } = serveWorld(world, clock);
  const accounts = world.accounts.map(({ id }) => `id:${id}`);
  const watch = makeWatch("w", "timeline", { accounts }, { strategy: "probe" });
  harness = await startEngineHarness({
    clock,
    upstream,
    watches: [watch],
    isGoverned: true,
    onExhausted: "pause",
    monthly: 3_000,
  });
  await clock.advance(30 * MINUTE);
  // Other polls take all further pages that are left for the hour.
  for (let page = 0; page < 40; page += 1) harness.quotaMonitor.pages.mayReadOn("others", "normal");
  const before = calls.length;
  for (const account of world.accounts)
    for (let i = 0; i < 3; i += 1) world.post(account, clock.now() + i);
  await clock.advance(15 * MINUTE);
  const asked = calls.slice(before).map(({ endpoint }) => endpoint);
  expect(asked).not.toContain("user-tweets");
  // A search contains no account whose posts would need one more page: 54 posts are three pages, in
  // six searches.
  expect(asked.filter((endpoint) => endpoint === "search-tweets").length).toBeLessThanOrEqual(10);
  expect(await harness.events()).toHaveLength(18 * 3);
});
