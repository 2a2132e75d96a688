/** Tests groups with a limit for 95 of 100 posts: which accounts each round requests. */
import { afterEach, expect, it } from "vitest";
import type { GroupMemory } from "../../src/groups/accounts/group-memory.ts";
import { probesForP95 } from "../../src/groups/accounts/pacing/group-p95.ts";
import { isTooSoon, waitAfter } from "../../src/groups/accounts/pacing/group-pace.ts";
import type { AccountMemory } from "../../src/groups/probing/probe-states.ts";
import type { Waiting } from "../../src/groups/accounts/pacing/turns.ts";
import { sleep } from "../../src/model/clock.ts";
import type { UpstreamRequest } from "../../src/model/upstream.ts";
import { createAccountsWorld, type WorldAccount } from "../support/accounts-world.ts";
import { type EngineHarness, startEngineHarness } from "../support/engine-harness.ts";
import { makeWatch } from "../support/make-watch.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2, 12);
const MIN = 60_000;
const HOUR = 60 * MIN;
const DAY = 24 * HOUR;
const BUSY = 30;
const harnesses: EngineHarness[] = [];

afterEach(async () => {
  for (const harness of harnesses.splice(0)) await harness.close();
});

/**
 * Sets up thirty accounts that post every half hour, and some silent ones. Returns half an hour
 * after the start.
 */
async function setup({ accounts = 300 } = {}) {
  let aheadMs = 0;
  const clock = createVirtualClock(START);
  const world = createAccountsWorld();
  for (let i = 0; i < accounts; i += 1) {
    const account = world.add(`a${i}`);
    if (i >= BUSY) world.post(account, START - 20 * DAY + i);
    else
      for (let atMs = START - DAY + i * MIN; atMs < START + DAY; atMs += 30 * MIN)
        world.post(account, atMs, { searchLagMs: 500 });
  }
  const asked: { readonly userId: string; readonly atMs: number }[] = [];
  const probes: number[] = [];
  const upstream = {
    async call(request: UpstreamRequest) {
      const atMs = clock.now();
      if (request.endpoint === "info-batch") {
        probes.push(atMs);
        for (const userId of request.params["user_ids"] as readonly string[])
          asked.push({ userId, atMs });
      }
      await sleep(clock, 40);
      return world.answer(request, clock.now() - aheadMs);
    },
  };
  const watch = makeWatch(
    "w",
    "timeline",
    { accounts: world.accounts.map(({ id }) => `id:${id}`) },
    {
      include: { reply: true, quote: true, retweet: true },
      freshness: { kind: "p95", p95Ms: MIN },
    },
  );
  const harness = await startEngineHarness({ clock, upstream, watches: [watch] });
  harnesses.push(harness);
  await clock.advance(HOUR / 2);
  const waitsOf = ({ id }: WorldAccount, fromMs: number, toMs: number): readonly number[] => {
    const times = asked
      .filter(({ userId, atMs }) => userId === id && atMs >= fromMs && atMs < toMs)
      .map(({ atMs }) => atMs);
    return times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));
  };
  const probesIn = (fromMs: number, toMs: number): number =>
    probes.filter((atMs) => atMs >= fromMs && atMs < toMs).length;
  const setAhead = (ms: number): void => {
    aheadMs += ms;
    clock.jump(ms);
  };
  return {
    clock,
    world,
    harness,
    waitsOf,
    probesIn,
    setAhead,
    account: (index: number) => world.accounts[index] as WorldAccount,
  };
}

it("asks for busy accounts every minute, for those that are silent until then every four, and reports each post once and in time", async () => {
  const { clock, world, harness, waitsOf, account } = await setup();
  const sinceMs = clock.now();
  await clock.advance(HOUR / 2);
  const busy = waitsOf(account(3), sinceMs, clock.now());
  expect(busy.length).toBeGreaterThan(27);
  expect(Math.max(...busy)).toBeLessThanOrEqual(MIN);
  const silent = waitsOf(account(250), sinceMs, clock.now());
  expect(Math.min(...silent)).toBeGreaterThan(2 * MIN);
  expect(Math.max(...silent)).toBeLessThanOrEqual(4 * MIN);
  const posts = (await harness.events()).filter(({ detectedAtMs }) => detectedAtMs >= sinceMs);
  expect(posts).toHaveLength(BUSY);
  expect(new Set(posts.map(({ subject }) => subject)).size).toBe(BUSY);
  expect(
    posts.filter(({ detectedAtMs, occurredAtMs }) => detectedAtMs - occurredAtMs > MIN).length,
  ).toBeLessThan(0.05 * posts.length);

  // A silent account counts as busy from the moment it posts.
  world.post(account(200), clock.now() + 1_000, { searchLagMs: 500 });
  await clock.advance(4 * MIN);
  const postedMs = clock.now();
  await clock.advance(15 * MIN);
  const waits = waitsOf(account(200), postedMs, clock.now());
  expect(waits.length).toBeGreaterThan(12);
  expect(Math.max(...waits)).toBeLessThanOrEqual(MIN);
});

it("asks no oftener over restarts, and goes on after a clock that ran a day ahead was set right", async () => {
  const { clock, harness, probesIn, setAhead } = await setup();
  const sinceMs = clock.now();
  for (let restart = 0; restart < 12; restart += 1) {
    await clock.advance(20_000);
    await harness.restart();
  }
  expect(probesIn(sinceMs, sinceMs + 4 * MIN)).toBeLessThanOrEqual(5);
  expect(probesIn(sinceMs, sinceMs + 4 * MIN)).toBeGreaterThanOrEqual(3);

  setAhead(DAY);
  await clock.advance(5 * MIN);
  setAhead(-DAY);
  const backMs = clock.now();
  await clock.advance(HOUR / 2);
  expect(probesIn(backMs, clock.now())).toBeGreaterThan(28);
  expect(probesIn(backMs, clock.now())).toBeLessThan(36);
});

const P95 = probesForP95({ kind: "p95", p95Ms: MIN });
const account: Pick<AccountMemory, "rate"> = {
  rate: { posts: 30, days: 30, excited: 0, atMs: START },
};
const waiting = Array.from({ length: 300 }, (_, index) => ({
  id: String(index),
  rate: 0,
  ageMs: 3 * MIN,
  member: index,
  account,
}));
const turnOf = (factor: number, passedMs: number) => ({
  waiting: waiting as unknown as readonly Waiting[],
  memory: { busyRate: 1, rounds: { correction: 1, roundAtMs: START } } as GroupMemory,
  factor,
  nowMs: START + passedMs,
});

it("lengthens rounds and the longest wait alike while the quota is short", () => {
  const due = waiting.map((one) => ({ ...one, ageMs: HOUR })) as unknown as readonly Waiting[];
  expect(waitAfter(P95, { ...turnOf(1, 10_000), waiting: due })).toBe(48_000);
  expect(waitAfter(P95, { ...turnOf(5, 10_000), waiting: due })).toBe(280_000);
  expect(isTooSoon(P95, { ...turnOf(1, MIN), waiting: due })).toBe(false);
  expect(isTooSoon(P95, { ...turnOf(5, MIN), waiting: due })).toBe(true);
  // Three and a half minutes or more count as four, which is when silent accounts are due.
  const waited = waiting.map((one, index) => ({
    ...one,
    ageMs: (index < 40 ? 220 : 100) * 1_000,
  })) as unknown as readonly Waiting[];
  expect(P95.choose({ ...turnOf(1, MIN), waiting: waited }).all).toHaveLength(100);
  expect(P95.choose({ ...turnOf(2, MIN), waiting: waited }).all).toEqual([]);
});

it("postpones a round if others have already requested its accounts, and does not count a run without requests as a round", () => {
  const seen = (busyAgeMs: number) =>
    waiting.map((one, index) => ({
      ...one,
      rate: index < 40 ? 1 : 0,
      ageMs: index < 40 ? busyAgeMs : MIN,
    })) as unknown as readonly Waiting[];
  expect(waitAfter(P95, { ...turnOf(1, MIN), waiting: seen(8_000) })).toBe(49_750);
  expect(isTooSoon(P95, { ...turnOf(1, MIN), waiting: seen(8_000) })).toBe(true);
  expect(isTooSoon(P95, { ...turnOf(1, MIN), waiting: seen(58_000) })).toBe(false);
  const query = {
    ...turnOf(1, MIN),
    awaited: [],
    delaysMs: [],
    startedAtMs: START + MIN,
    isPaced: true,
  };
  expect(P95.after({ ...query, hasProbed: false }).rounds?.roundAtMs).toBe(START);
  expect(P95.after({ ...query, hasProbed: true }).rounds?.roundAtMs).toBe(START + MIN);
});

it("learns nothing from delays that do not depend on its pace, and does not count a run between two rounds as a round", () => {
  const query = {
    ...turnOf(1, 20_000),
    awaited: [],
    hasProbed: true,
    delaysMs: [HOUR, HOUR],
    isPaced: true,
    startedAtMs: START + 20_000,
  };
  expect(P95.after({ ...query, isPaced: false })).toEqual({
    rounds: { correction: 1, roundAtMs: START },
    busyRate: 1,
  });
  expect(P95.after(query).rounds?.correction).toBeLessThan(1);
  const round = P95.after({ ...query, startedAtMs: START + MIN });
  expect(round.rounds?.roundAtMs).toBe(START + MIN);
  // Each round decides anew, by the present rates, which accounts count as busy.
  expect(round.busyRate).not.toBe(1);
  expect(P95.after({ ...query, factor: 5, startedAtMs: START + MIN }).rounds?.roundAtMs).toBe(
    START,
  );
});
