/** What groups learn of changes that no post accounts for: each is read for seven times, which the plan must know. */
import { afterEach, expect, it } from "vitest";
import { createChangeCounts } from "../../src/groups/accounts/change-counts.ts";
import { sleep } from "../../src/model/clock.ts";
import type { UpstreamAnswer, UpstreamRequest } from "../../src/model/upstream.ts";
import type { OtherChanges } from "../../src/plan/rates/other-changes.ts";
import { createAccountsWorld, type WorldAccount } from "../support/accounts-world.ts";
import { type EngineHarness, startEngineHarness } from "../support/engine-harness.ts";
import { makeWatch, type WatchChanges } from "../support/make-watch.ts";
import { failure } from "../support/scripted-upstream.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const MIN = 60_000;
const HOUR = 60 * MIN;
const DAY = 24 * HOUR;
const harnesses: EngineHarness[] = [];

afterEach(async () => {
  for (const harness of harnesses.splice(0)) await harness.close();
});

/** Forty accounts with a few old posts each, probed every ten minutes. */
async function setup(changes: WatchChanges = {}) {
  const clock = createVirtualClock(START);
  const world = createAccountsWorld();
  for (let i = 0; i < 40; i += 1) {
    const account = world.add(`account_${i}`);
    for (let day = 1; day <= 3; day += 1) world.post(account, START - day * DAY + i);
  }
  /** Instead of what the world says. */
  const service: { answer?: ((request: UpstreamRequest) => UpstreamAnswer | undefined) | undefined } = {};
  const upstream = {
    async call(request: UpstreamRequest) {
      await sleep(clock, 40);
      return service.answer?.(request) ?? world.answer(request, clock.now());
    },
  };
  const accounts = world.accounts.map(({ id }) => `id:${id}`);
  const every = { schedule: { kind: "every", intervalMs: 10 * MIN }, strategy: "probe" } as const;
  const watch = makeWatch("w", "timeline", { accounts }, { ...every, ...changes });
  const harness = await startEngineHarness({ clock, upstream, watches: [watch] });
  harnesses.push(harness);
  await clock.advance(15 * MIN);
  const groupKey = () => harness.engine.polls.find(({ group }) => group !== undefined)?.key ?? "";
  /** As the state has it after a stop. */
  const learned = async () => {
    await harness.restart();
    const changeCounts = createChangeCounts(harness.store, clock);
    await changeCounts.load();
    const own = (await harness.store.loadLearned("other_changes")).get(groupKey()) as unknown as OtherChanges | undefined;
    return { own, rate: changeCounts.changesOf(groupKey()) ?? 0 };
  };
  return { clock, world, harness, service, watch, learned, account: (index: number) => world.accounts[index] as WorldAccount };
}

it("counts what was taken back, hidden for hours, and counted but shown to nobody, and no post", async () => {
  const { clock, world, learned, account } = await setup();
  const atMs = clock.now();
  world.delete(account(1), 0, atMs + MIN);
  account(2).gone.push({ fromMs: atMs + MIN, untilMs: atMs + 5 * HOUR });
  account(3).flaps.push({ fromMs: atMs + MIN, untilMs: Number.POSITIVE_INFINITY, by: 1 });
  for (const index of [4, 5, 6]) world.post(account(index), atMs + index * HOUR);
  // One that its own timeline shows, and one that comes late.
  world.post(account(7), atMs + HOUR, { searchLagMs: 15 * MIN });
  world.post(account(8), atMs + HOUR, { visibleLagMs: 15 * MIN });
  await clock.advance(DAY - HOUR);
  const { own, rate } = await learned();
  expect(own?.changes).toBeCloseTo(3, 0);
  expect(own?.accountDays).toBeGreaterThan(40 * 0.9);
  expect(own?.accountDays).toBeLessThan(40);
  expect(rate).toBeCloseTo((1 + 3) / (50 + 38), 2);
});

it("counts under freshness too", async () => {
  const { clock, world, learned, account } = await setup({ freshness: { kind: "mean", meanMs: 5 * MIN, maxMs: 2 * HOUR } });
  for (const index of [1, 2]) world.delete(account(index), 0, clock.now() + index * HOUR);
  for (const index of [3, 4]) world.post(account(index), clock.now() + index * HOUR);
  await clock.advance(DAY);
  const { own } = await learned();
  expect(own?.changes).toBeCloseTo(2, 0);
  expect(own?.accountDays).toBeCloseTo(40, 0);
});

it("goes on after restarts, other accounts and another schedule", async () => {
  const { clock, harness, watch, learned } = await setup();
  await clock.advance(DAY);
  const first = await learned();
  await clock.advance(HOUR);
  const { settings } = makeWatch("w", "timeline", { accounts: ["id:1000", "id:1001", "id:1002"] });
  await harness.setWatches([{ ...watch, settings }]);
  await clock.advance(DAY);
  const fewer = await learned();
  expect((fewer.own?.accountDays ?? 0) - (first.own?.accountDays ?? 0)).toBeGreaterThan(3);
  expect((fewer.own?.accountDays ?? 0) - (first.own?.accountDays ?? 0)).toBeLessThan(6);
  await harness.setWatches([{ ...watch, settings, timing: { kind: "schedule", schedule: { kind: "every", intervalMs: 15 * MIN } } }]);
  await clock.advance(HOUR);
  const moved = await learned();
  expect(moved.own?.accountDays).toBeLessThan(1);
  expect(moved.rate).toBeCloseTo(fewer.rate, 3);
});

it("loses nothing by an orderly stop", async () => {
  const { clock, learned } = await setup({ schedule: { kind: "every", intervalMs: MIN } });
  await clock.advance(43 * MIN);
  expect((await learned()).own?.lastMs).toBeGreaterThan(clock.now() - 2 * MIN);
});

it("learns nothing while the daemon stands still, nor of what changed meanwhile", async () => {
  const { clock, world, harness, learned, account } = await setup();
  await clock.advance(DAY);
  const before = await learned();
  harness.killSwitch.kill();
  world.delete(account(1), 0, clock.now() + HOUR);
  await clock.advance(5 * DAY);
  await harness.crash();
  await clock.advance(2 * HOUR);
  const { own } = await learned();
  expect(own?.changes).toBe(0);
  expect(own?.accountDays).toBeLessThan((before.own?.accountDays ?? 0) + 40 * 0.2);
});

it.each<[string, number, (request: UpstreamRequest) => UpstreamAnswer | undefined]>([
  [
    "fails",
    0,
    () => {
      throw failure("transient");
    },
  ],
  ["shows none of the accounts", 0, ({ endpoint }) => (endpoint === "info-batch" ? { users: [] } : undefined)],
  ["shows no posts", 5, ({ endpoint }) => (endpoint === "info-batch" ? undefined : { tweets: [] })],
])("learns no change from a service that %s for hours", async (_, watchedHours, answer) => {
  const { clock, world, service, learned, account } = await setup();
  await clock.advance(DAY);
  service.answer = answer;
  for (let index = 0; index < 3; index += 1) world.post(account(index), clock.now() + (20 + index) * MIN);
  await clock.advance(5 * HOUR);
  service.answer = undefined;
  await clock.advance(5 * HOUR);
  const { own } = await learned();
  expect(own?.changes).toBe(0);
  const hours = ((own?.accountDays ?? 0) / 40) * 24 - 29;
  expect(hours).toBeGreaterThan(watchedHours - 1.5);
  expect(hours).toBeLessThan(watchedHours + 1.5);
});

it("learns no change from counters that are wrong for a while", async () => {
  const { clock, world, learned } = await setup();
  const atMs = clock.now();
  for (const { flaps } of world.accounts.slice(0, 20)) flaps.push({ fromMs: atMs + HOUR, untilMs: atMs + 3 * HOUR, by: -50 });
  await clock.advance(DAY);
  expect((await learned()).own?.changes).toBe(0);
});
