import { afterEach, describe, expect, it } from "vitest";
import { sleep } from "../../src/model/clock.ts";
import type { Freshness } from "../../src/model/schedule.ts";
import type { UpstreamAnswer, UpstreamRequest } from "../../src/model/upstream.ts";
import {
  type AccountsWorld,
  createAccountsWorld,
  type WorldAccount,
} from "../support/accounts-world.ts";
import { type EngineHarness, startEngineHarness } from "../support/engine-harness.ts";
import { makeWatch, type WatchChanges } from "../support/make-watch.ts";
import { failure } from "../support/scripted-upstream.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const MIN = 60_000;
const HOUR = 3_600_000;
const harnesses: EngineHarness[] = [];

afterEach(async () => {
  for (const harness of harnesses.splice(0)) await harness.close();
});

const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);
const queryOf = ({ params }: UpstreamRequest): string =>
  typeof params["query"] === "string" ? params["query"] : "";

interface SetupOptions {
  readonly count?: number;
  readonly changes?: WatchChanges;
  readonly longestQuery?: number;
  /** Accounts whose counters never move. */
  readonly frozen?: readonly number[];
  readonly fail?: (request: UpstreamRequest) => void;
  /** Replaces an answer of the world. */
  readonly answer?: (request: UpstreamRequest) => UpstreamAnswer | undefined;
  /** Called after the watch has begun. */
  readonly start?: (world: AccountsWorld) => void;
}

/** Sets up accounts with a few old posts each, and one timeline watch on all of them. */
async function setup({
  count = 20,
  changes = {},
  longestQuery,
  frozen = [],
  fail,
  answer,
  start,
}: SetupOptions = {}) {
  const clock = createVirtualClock(START);
  const world = createAccountsWorld(longestQuery === undefined ? {} : { longestQuery });
  for (let i = 0; i < count; i += 1) {
    const account = world.add(`account_${i}`, { isFrozen: frozen.includes(i) });
    for (let day = 1; day <= 3; day += 1) world.post(account, START - day * 86_400_000 + i);
  }
  start?.(world);
  const calls: {
    readonly endpoint: string;
    readonly request: UpstreamRequest;
    readonly atMs: number;
  }[] = [];
  const upstream = {
    async call(request: UpstreamRequest) {
      calls.push({ endpoint: request.endpoint, request, atMs: clock.now() });
      await sleep(clock, 40);
      fail?.(request);
      return answer?.(request) ?? world.answer(request, clock.now());
    },
  };
  const accounts = world.accounts.map(({ names }) => names[0]?.handle ?? "");
  const include = { reply: true, quote: true, retweet: true };
  const watch = makeWatch(
    "w",
    "timeline",
    { accounts },
    { include, schedule: { kind: "every", intervalMs: 2 * MIN }, ...changes },
  );
  const harness = await startEngineHarness({ clock, upstream, watches: [watch] });
  harnesses.push(harness);
  const callsOf = (endpoint: string, sinceMs = 0) =>
    calls.filter((call) => call.endpoint === endpoint && call.atMs >= sinceMs);
  const alerted = async () => (await harness.events()).map(({ subject }) => subject);
  // The baselines are done, and the first tick after them.
  await clock.advance(3 * MIN);
  return {
    clock,
    world,
    harness,
    calls,
    callsOf,
    alerted,
    watch,
    account: (index: number) => world.accounts[index] as WorldAccount,
  };
}

describe("a group of timelines", () => {
  it("goes on with its probes beside an account that the service refuses to be asked for", async () => {
    let bad = "";
    const { clock, world, callsOf, alerted, account } = await setup({
      count: 40,
      start: ({ accounts }) => void (bad = accounts[7]?.id ?? ""),
      fail: ({ params }) => {
        if ((params["user_ids"] as readonly string[] | undefined)?.includes(bad) === true)
          throw failure("bad_request");
      },
    });
    const sinceMs = clock.now();
    const posts = [3, 30].map((index) => world.post(account(index), sinceMs + 1_000).id);
    await clock.advance(40 * MIN);
    expect((await alerted()).toSorted()).toEqual(posts.toSorted());
    // There is one request for each tick, and after 1, 5 and 15 minutes one for that account alone.
    expect(callsOf("info-batch", sinceMs)).toHaveLength(20 + 3);
    // Its timeline was read once, as after any change that no post explains, and is not read again.
    const laterMs = clock.now();
    await clock.advance(2 * HOUR);
    expect(callsOf("user-tweets", laterMs)).toEqual([]);
  });

  it("reads each account once at the start, and then asks for all with one request a tick", async () => {
    const { clock, callsOf } = await setup();
    expect(callsOf("user-tweets")).toHaveLength(20);
    const sinceMs = clock.now();
    await clock.advance(20 * MIN);
    expect(callsOf("info-batch", sinceMs)).toHaveLength(10);
    expect(callsOf("user-tweets", sinceMs)).toHaveLength(0);
    expect(callsOf("search-tweets", sinceMs)).toHaveLength(0);
  });

  it("begins at the time its members were due when they become a group, and not at once", async () => {
    const hourly = { schedule: { kind: "every", intervalMs: HOUR }, strategy: "single" } as const;
    const { clock, harness, watch, calls } = await setup({ changes: hourly });
    const { strategy: _, ...grouped } = watch;
    await harness.setWatches([grouped]);
    const before = calls.length;
    await clock.advance(30 * MIN);
    await harness.restart();
    await clock.advance(20 * MIN);
    expect(calls.length).toBe(before);
    await clock.advance(20 * MIN);
    expect(calls.length).toBeGreaterThan(before);
  });

  it("finds the posts of a tick with one search, and reports each once", async () => {
    const { clock, world, callsOf, alerted, account } = await setup();
    const sinceMs = clock.now();
    const posts = [3, 5, 8].map((index) => world.post(account(index), clock.now() + 1_000 * index));
    await clock.advance(10 * MIN);
    expect([...(await alerted())].sort()).toEqual(posts.map(({ id }) => id).sort());
    expect(callsOf("search-tweets", sinceMs)).toHaveLength(1);
    expect(callsOf("user-tweets", sinceMs)).toHaveLength(0);
  });

  it("asks again for no post that came between the first probe of many accounts and their first reads", async () => {
    const { clock, callsOf, alerted } = await setup({
      count: 100,
      start: (world) => {
        for (const one of world.accounts) world.post(one, START + 1_500);
      },
    });
    await clock.advance(30 * MIN);
    expect(await alerted()).toHaveLength(100);
    expect(callsOf("user-tweets")).toHaveLength(100);
  });

  it("finds native retweets", async () => {
    const { clock, world, alerted, account } = await setup();
    const { id } = world.post(account(1), clock.now() + 1_000, { isRetweet: true });
    await clock.advance(5 * MIN);
    expect(await alerted()).toEqual([id]);
  });

  it("reads a post that the search does not show yet from its timeline, in the tick that noticed it", async () => {
    const { clock, world, callsOf, alerted, account } = await setup();
    const sinceMs = clock.now();
    const { id } = world.post(account(1), clock.now() + 1_000, { searchLagMs: 3 * MIN });
    await clock.advance(2.5 * MIN);
    expect(await alerted()).toEqual([id]);
    await clock.advance(30 * MIN);
    expect(callsOf("search-tweets", sinceMs)).toHaveLength(1);
    expect(callsOf("user-tweets", sinceMs)).toHaveLength(1);
  });

  it("reads the timeline of an account that search does not show, and from the fourth time on at once", async () => {
    const { clock, world, callsOf, alerted, account } = await setup();
    account(2).isHidden = true;
    const posts: string[] = [];
    for (const searches of [1, 1, 1, 0]) {
      const sinceMs = clock.now();
      posts.push(world.post(account(2), clock.now() + 1_000).id);
      await clock.advance(2.5 * MIN);
      expect([...(await alerted())].sort()).toEqual([...posts].sort());
      await clock.advance(10 * MIN);
      expect(callsOf("search-tweets", sinceMs)).toHaveLength(searches);
    }
  });

  it("searches seven times for a post that a deletion may hide, and reads no timeline", async () => {
    const { clock, world, callsOf, account } = await setup();
    const sinceMs = clock.now();
    world.delete(account(3), 0, sinceMs + 1_000);
    await clock.advance(HOUR);
    expect(callsOf("user-tweets", sinceMs)).toHaveLength(0);
    expect(callsOf("search-tweets", sinceMs)).toHaveLength(7);
  });

  it("asks once for the timeline of an account that is gone, and then only whether it is back", async () => {
    const { clock, callsOf, account } = await setup({ changes: { fullPollEveryMs: 10 * HOUR } });
    const sinceMs = clock.now();
    account(1).gone.push({ fromMs: sinceMs, untilMs: sinceMs + 6 * HOUR });
    await clock.advance(5 * HOUR);
    expect(callsOf("user-tweets", sinceMs)).toHaveLength(1);
  });

  it("reads no account because of probes that show none of them, and finds what they posted meanwhile", async () => {
    let isEmpty = false;
    const { clock, world, harness, callsOf, alerted, account } = await setup({
      answer: ({ endpoint }) => (isEmpty && endpoint === "info-batch" ? { users: [] } : undefined),
    });
    isEmpty = true;
    const sinceMs = clock.now();
    const post = world.post(account(3), sinceMs + 10 * MIN);
    await clock.advance(HOUR);
    expect(callsOf("user-tweets", sinceMs)).toHaveLength(0);
    expect(harness.opsAlerts.map(({ type }) => type)).toEqual(["watch.stalled"]);
    isEmpty = false;
    await clock.advance(3 * MIN);
    expect(await alerted()).toEqual([post.id]);
    expect(callsOf("user-tweets", sinceMs)).toHaveLength(0);
  });

  it("finds what no counter shows with the full poll, and does not trust that account's counters again", async () => {
    const { clock, world, alerted, account } = await setup({
      changes: { fullPollEveryMs: HOUR },
      frozen: [4],
    });
    const first = world.post(account(4), clock.now() + 5 * MIN);
    await clock.advance(2 * HOUR);
    expect(await alerted()).toEqual([first.id]);
    const second = world.post(account(4), clock.now() + 1_000);
    await clock.advance(3 * MIN);
    expect([...(await alerted())].sort()).toEqual([first.id, second.id].sort());
  });

  it("searches for an account that no counter shows as often as it must, and not with every probe of others", async () => {
    const freshness: Freshness = { kind: "mean", meanMs: MIN, maxMs: 4 * HOUR };
    const { clock, world, callsOf, alerted, account } = await setup({
      count: 300,
      changes: { freshness, fullPollEveryMs: HOUR },
      frozen: [4],
    });
    world.post(account(4), clock.now() + 5 * MIN);
    await clock.advance(2 * HOUR);
    const sinceMs = clock.now();
    world.post(account(4), clock.now() + 1_000);
    await clock.advance(4 * MIN);
    expect(await alerted()).toHaveLength(2);
    await clock.advance(26 * MIN);
    const isFullPoll = (call: unknown) =>
      Number(/since_time:(\d+)/.exec(JSON.stringify(call))?.[1]) * 1_000 < sinceMs - HOUR;
    const others = callsOf("search-tweets", sinceMs).filter((call) => !isFullPoll(call));
    expect(others.length).toBeLessThan(callsOf("info-batch", sinceMs).length * 0.8);
  });

  it("reads a small group whole by one search a round, however far apart its accounts were last read", async () => {
    const { clock, world, callsOf, alerted, account } = await setup({
      count: 10,
      changes: { fullPollEveryMs: HOUR },
    });
    // Posts that the search lacks are read from the timeline, which shows everything.
    for (const [index, minutes] of [20, 30, 40].entries())
      world.post(account(index), clock.now() + minutes * MIN, { searchLagMs: 4 * MIN });
    await clock.advance(HOUR);
    expect(await alerted()).toHaveLength(3);
    const sinceMs = clock.now();
    await clock.advance(5 * HOUR);
    expect(callsOf("search-tweets", sinceMs).length).toBeGreaterThan(3);
    expect(callsOf("search-tweets", sinceMs).length).toBeLessThan(7);
  });

  it("finds with its full polls what the service showed nowhere for hours, and goes on trusting the counters", async () => {
    let isEmpty = false;
    const { clock, world, callsOf, alerted, account } = await setup({
      count: 4,
      changes: { fullPollEveryMs: 4 * HOUR },
      answer: ({ endpoint }) => (isEmpty && endpoint !== "info-batch" ? { tweets: [] } : undefined),
    });
    isEmpty = true;
    const posts = world.accounts.map(
      (one, index) => world.post(one, clock.now() + (5 + index) * MIN).id,
    );
    await clock.advance(3 * HOUR);
    isEmpty = false;
    // Searches go back to the newest known post of any of their accounts.
    posts.push(world.post(account(0), clock.now() + 1_000).id);
    await clock.advance(5 * HOUR);
    expect([...(await alerted())].sort()).toEqual([...posts].sort());
    const sinceMs = clock.now();
    await clock.advance(4 * HOUR);
    expect(callsOf("search-tweets", sinceMs).length).toBeLessThan(8);
  });

  it("makes full polls of a small group no oftener when its newest post was deleted", async () => {
    const { clock, world, callsOf, account } = await setup({
      count: 3,
      changes: { fullPollEveryMs: HOUR },
    });
    world.post(account(1), clock.now() + 1_000);
    await clock.advance(HOUR);
    world.delete(account(1), 3, clock.now());
    await clock.advance(HOUR);
    const sinceMs = clock.now();
    await clock.advance(6 * HOUR);
    expect(callsOf("search-tweets", sinceMs).length).toBeLessThan(30);
  });

  it("reads deeper when a deletion hides a post because the counter did not change", async () => {
    const { clock, world, alerted, account } = await setup({ changes: { fullPollEveryMs: HOUR } });
    // The post is created and another one deleted between two probes, so the counter does not
    // change.
    world.delete(account(6), account(6).posts.length - 1, clock.now() + 2_000);
    const post = world.post(account(6), clock.now() + 1_000);
    await clock.advance(2 * HOUR);
    expect(await alerted()).toEqual([post.id]);
  });

  it("does not take a post that hid behind a deletion for the one that the counter promises", async () => {
    const { clock, world, callsOf, alerted, account } = await setup({
      changes: { fullPollEveryMs: 10 * HOUR },
    });
    world.delete(account(6), account(6).posts.length - 1, clock.now() + 2_000);
    const hidden = world.post(account(6), clock.now() + 1_000);
    await clock.advance(HOUR);
    // The counter includes the post a moment before anyone can see it, and a probe comes in
    // between.
    const postedMs = (callsOf("info-batch").at(-1)?.atMs ?? 0) + 2 * MIN - 500;
    const promised = world.post(account(6), postedMs, { visibleLagMs: 3_000 });
    account(6).flaps.push({ fromMs: postedMs, untilMs: postedMs + 3_000, by: 1 });
    await clock.advance(2 * MIN);
    expect(await alerted()).toEqual([hidden.id]);
    await clock.advance(2 * MIN);
    expect([...(await alerted())].sort()).toEqual([hidden.id, promised.id].sort());
  });

  it("follows a renamed account by its id", async () => {
    const { clock, world, alerted, account } = await setup();
    world.rename(account(7), "somebody_new", clock.now() + 1_000);
    const post = world.post(account(7), clock.now() + 2_000);
    await clock.advance(5 * MIN);
    expect(await alerted()).toEqual([post.id]);
  });

  it("says once that an account is gone, leaves the others alone, and goes on when it is back", async () => {
    const { clock, world, harness, alerted, account } = await setup();
    account(9).gone.push({ fromMs: clock.now(), untilMs: clock.now() + 20 * MIN });
    const other = world.post(account(10), clock.now() + 1_000);
    await clock.advance(15 * MIN);
    expect(harness.opsAlerts.filter(({ type }) => type === "target.unavailable")).toHaveLength(1);
    expect(await alerted()).toEqual([other.id]);
    await clock.advance(6 * MIN);
    const post = world.post(account(9), clock.now() + 1_000);
    await clock.advance(6 * MIN);
    expect([...(await alerted())].sort()).toEqual([other.id, post.id].sort());
  });

  it("learns from a refusal how long a query may be, and keeps it over a restart", async () => {
    const { clock, world, harness, callsOf, alerted } = await setup({ longestQuery: 300 });
    const postAll = () =>
      world.accounts.map((one, index) => world.post(one, clock.now() + 1_000 + index).id);
    const first = postAll();
    await clock.advance(5 * MIN);
    expect([...(await alerted())].sort()).toEqual([...first].sort());
    const longest = () =>
      Math.max(
        ...callsOf("search-tweets")
          .slice(-2)
          .map(({ request }) => queryOf(request).length),
      );
    expect(longest()).toBeLessThanOrEqual(300);
    await clock.advance(15 * MIN);
    await harness.restart();
    await clock.advance(5 * MIN);
    const sinceMs = clock.now();
    postAll();
    await clock.advance(5 * MIN);
    for (const { request } of callsOf("search-tweets", sinceMs))
      expect(queryOf(request).length).toBeLessThanOrEqual(300);
  });

  it.each(["all searches", "those for many accounts"])(
    "asks as little as before after an hour in which %s were refused",
    async (refused) => {
      let isDown = false;
      const { clock, world, callsOf, account } = await setup({
        fail: (request) => {
          if (
            isDown &&
            request.endpoint === "search-tweets" &&
            (refused === "all searches" || queryOf(request).includes(" OR "))
          )
            throw failure("bad_request");
        },
      });
      const searchesIn = async (ms: number) => {
        const sinceMs = clock.now();
        for (let doneMs = 0; doneMs < ms; doneMs += 5 * MIN) {
          for (const index of [0, 1]) world.post(account(index), clock.now() + 1_000);
          await clock.advance(5 * MIN);
        }
        return callsOf("search-tweets", sinceMs).length;
      };
      const before = await searchesIn(HOUR);
      isDown = true;
      await searchesIn(HOUR);
      isDown = false;
      await clock.advance(1.5 * HOUR);
      expect((await searchesIn(HOUR)) / before).toBeLessThan(1.25);
    },
  );

  it("searches only for those in turn, and those that moved, while profiles are refused, and seldom tries those again", async () => {
    let isDown = false;
    const { clock, world, callsOf, alerted, account } = await setup({
      count: 110,
      changes: { freshness: { kind: "mean", meanMs: MIN, maxMs: HOUR } },
      fail: ({ endpoint }) => {
        if (isDown && endpoint === "info-batch") throw failure("bad_request");
      },
    });
    const posts: string[] = [];
    const hourFrom = async (sinceMs: number) => {
      for (let minute = 0; minute < 60; minute += 1) {
        if (minute % 10 === 0) posts.push(world.post(account(minute), clock.now() + 1_000).id);
        await clock.advance(MIN);
      }
      const probes = callsOf("info-batch", sinceMs).map(
        ({ request }) => (request.params["user_ids"] as string[]).length,
      );
      const searched = callsOf("search-tweets", sinceMs).map(
        ({ request }) => queryOf(request).split("from:").length - 1,
      );
      return { probes: probes.length, probed: sum(probes), searched: sum(searched) };
    };
    const before = await hourFrom(clock.now());
    isDown = true;
    const during = await hourFrom(clock.now());
    expect(during.searched / (before.probed + before.searched)).toBeLessThan(1.2);
    expect(during.probes).toBeLessThan(10);
    isDown = false;
    await clock.advance(15 * MIN);
    const after = await hourFrom(clock.now());
    expect(after.probes / before.probes).toBeLessThan(1.1);
    expect([...(await alerted())].sort()).toEqual([...posts].sort());
  });

  it("asks for counters as often as before after a clock that was ahead for a while", async () => {
    const { clock, callsOf } = await setup();
    const [sinceMs] = [clock.now(), clock.jump(24 * HOUR)];
    await clock.advance(30 * MIN);
    clock.jump(-24 * HOUR);
    await clock.advance(30 * MIN);
    const asked = callsOf("info-batch", sinceMs).filter(({ atMs }) => atMs < sinceMs + 2 * HOUR);
    expect(asked.length).toBeGreaterThanOrEqual(2);
  });

  it("reads what it knows to have moved by timelines while the search fails", async () => {
    let isDown = false;
    const { clock, world, alerted, account } = await setup({
      fail: ({ endpoint }) => {
        if (isDown && endpoint === "search-tweets") throw failure("transient");
      },
    });
    isDown = true;
    const post = world.post(account(3), clock.now() + 1_000);
    await clock.advance(10 * MIN);
    expect(await alerted()).toEqual([post.id]);
  });

  it("needs no first reads after a restart, and misses nothing that was posted meanwhile", async () => {
    const { clock, world, harness, callsOf, alerted, account } = await setup();
    await clock.advance(5 * MIN);
    const post = world.post(account(3), clock.now() + 1_000);
    await harness.crash();
    const sinceMs = clock.now();
    await clock.advance(5 * MIN);
    expect(await alerted()).toEqual([post.id]);
    expect(callsOf("user-tweets", sinceMs)).toHaveLength(0);
  });

  it("gives an account that is added its own baseline at once", async () => {
    const { clock, world, harness, alerted, watch } = await setup();
    const added = world.add("newcomer");
    world.post(added, clock.now() - HOUR);
    const accounts = world.accounts.map(({ names }) => names[0]?.handle ?? "");
    await harness.setWatches([
      { ...watch, settings: makeWatch("x", "timeline", { accounts }).settings },
    ]);
    await clock.advance(10_000);
    const post = world.post(added, clock.now() + 1_000);
    await clock.advance(5 * MIN);
    expect(await alerted()).toEqual([post.id]);
  });

  it("reads singly where the user says so", async () => {
    const { clock, callsOf } = await setup({ count: 5, changes: { strategy: "single" } });
    const sinceMs = clock.now();
    await clock.advance(4 * MIN);
    expect(callsOf("user-tweets", sinceMs).length).toBeGreaterThanOrEqual(10);
    expect(callsOf("info-batch", sinceMs)).toHaveLength(0);
  });
});

describe("freshness", () => {
  it("does not probe more often because of what was posted while nobody could see it", async () => {
    const freshness: Freshness = { kind: "mean", meanMs: MIN, maxMs: 4 * HOUR };
    const { clock, world, callsOf, alerted, account } = await setup({ changes: { freshness } });
    const goneMs = clock.now();
    account(1).gone.push({ fromMs: goneMs, untilMs: goneMs + 3 * HOUR });
    for (let minute = 5; minute < 170; minute += 8) world.post(account(1), goneMs + minute * MIN);
    await clock.advance(3 * HOUR + 10 * MIN);
    expect(await alerted()).toHaveLength(21);
    const backMs = clock.now();
    await clock.advance(HOUR);
    expect(callsOf("info-batch", backMs).length).toBeLessThan(40);
  });

  it("probes for a p95 no sooner than its limit, also while an account posts again and again", async () => {
    const { clock, world, harness, callsOf, account } = await setup({
      count: 10,
      changes: { freshness: { kind: "p95", p95Ms: MIN } },
    });
    const sinceMs = clock.now();
    for (let second = 5; second < 3_600; second += 47)
      world.post(account(1), sinceMs + second * 1_000, { searchLagMs: 500 });
    await clock.advance(HOUR + 2 * MIN);
    const probes = callsOf("info-batch", sinceMs).filter(
      ({ atMs }) => atMs < sinceMs + HOUR,
    ).length;
    expect(probes).toBeGreaterThanOrEqual(58);
    expect(probes).toBeLessThanOrEqual(60);
    const delays = (await harness.events()).map(
      ({ detectedAtMs, occurredAtMs }) => detectedAtMs - occurredAtMs,
    );
    expect(delays).toHaveLength(77);
    expect(delays.filter((delay) => delay > MIN).length / delays.length).toBeLessThan(0.05);
  });

  it("places the probes so that posts are found in time, and reports each once", async () => {
    const freshness = { kind: "mean", meanMs: MIN, maxMs: HOUR } as const;
    const { clock, world, alerted, harness } = await setup({ count: 150, changes: { freshness } });
    const ids: string[] = [];
    for (let i = 0; i < 60; i += 1) {
      const one = world.accounts[i % 7 === 0 ? i % 150 : i % 10] as WorldAccount;
      ids.push(world.post(one, clock.now() + 1_000).id);
      await clock.advance(2 * MIN);
    }
    await clock.advance(HOUR);
    expect([...(await alerted())].sort()).toEqual([...ids].sort());
    const delays = (await harness.events()).map(
      ({ detectedAtMs, occurredAtMs }) => detectedAtMs - occurredAtMs,
    );
    expect(delays.reduce((sum, delay) => sum + delay, 0) / delays.length).toBeLessThan(1.5 * MIN);
    expect(Math.max(...delays)).toBeLessThanOrEqual(HOUR + MIN);
  });
});
