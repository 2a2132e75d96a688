/**
 * Tests the requests of groups that overlap only partly, in one instant.
 * test/long/shared-probes.test.ts tests their paces over hours.
 */
import { expect, it } from "vitest";
import { makeWatch } from "../support/make-watch.ts";
import { every, HOUR, MIN, setup, START } from "./overlapping-groups.ts";

it("timelines of two priorities, profiles and followers of overlapping accounts cost one request a tick, and each reports its own", async () => {
  const { clock, posts, lists, probes, alerted, account, subject } = await setup(80, (ids) => [
    makeWatch("posts", "timeline", { accounts: ids(0, 40) }, every(2)),
    makeWatch(
      "urgent",
      "timeline",
      { accounts: ids(30, 60) },
      every(2, { priority: "high", strategy: "probe" }),
    ),
    makeWatch("names", "profile", { accounts: ids(20, 70) }, every(2, { priority: "low" })),
    makeWatch("fans", "new_followers", { accounts: ids(10, 80), source: "all" }, every(2)),
  ]);
  expect(await probes(20)).toEqual(Array.from({ length: 10 }, () => 80));
  posts.post(account(5), clock.now() + 1_000);
  posts.post(account(50), clock.now() + 1_000);
  posts.rename(account(65), "somebody_new", clock.now() + 1_000);
  lists.follow(subject(75), clock.now() + 1_000);
  await clock.advance(5 * MIN);
  expect(await alerted()).toEqual([
    "fans follower.added",
    "names profile.changed",
    "posts tweet.created",
    "urgent tweet.created",
  ]);
});

it("groups with nothing in common fill each other's requests", async () => {
  const { probes } = await setup(120, (ids) => [
    makeWatch("posts", "timeline", { accounts: ids(0, 40) }, every(2)),
    makeWatch("names", "profile", { accounts: ids(40, 80) }, every(2)),
    makeWatch("fans", "new_followers", { accounts: ids(80, 120), source: "all" }, every(2)),
  ]);
  expect(await probes(10)).toEqual(Array.from({ length: 5 }, () => [100, 20]).flat());
});

it("go on sharing after a restart at an odd moment, and with a watch that joined later", async () => {
  const { clock, harness, probes } = await setup(
    80,
    (ids) => [
      makeWatch("posts", "timeline", { accounts: ids(0, 40) }, every(2)),
      makeWatch("fans", "new_followers", { accounts: ids(0, 40), source: "all" }, every(2)),
    ],
    START + 37_123,
  );
  expect(await probes(10)).toEqual(Array.from({ length: 5 }, () => 40));
  await clock.advance(17_321);
  await harness.restart();
  await clock.advance(3 * MIN);
  expect(await probes(10)).toEqual(Array.from({ length: 5 }, () => 40));
  await harness.setWatches([
    ...[
      ...new Map(
        harness.engine.polls.flatMap(({ subscribers }) =>
          subscribers.map(({ watch }) => [watch.id, watch] as const),
        ),
      ).values(),
    ],
    makeWatch("late", "following", { accounts: ["id:1041", "id:1042"] }, every(2)),
  ]);
  await clock.advance(5 * MIN);
  expect(await probes(10)).toEqual(Array.from({ length: 5 }, () => 42));
});

it("a slower schedule takes the answers of a faster one", async () => {
  const { probes } = await setup(40, (ids) => [
    makeWatch("posts", "timeline", { accounts: ids(0, 40) }, every(1)),
    makeWatch("fans", "new_followers", { accounts: ids(0, 40), source: "all" }, every(5)),
    makeWatch("names", "profile", { accounts: ids(0, 40) }, every(10)),
  ]);
  expect(await probes(60)).toHaveLength(60);
});

const P95 = { freshness: { kind: "p95", p95Ms: MIN } } as const;
const MEAN = { freshness: { kind: "mean", meanMs: 5 * MIN, maxMs: HOUR } } as const;

it("accounts under freshness fill the spare slots of requests that others send, and need none of their own", async () => {
  const { clock, posts, probes, alerted, account } = await setup(90, (ids) => [
    makeWatch("posts", "timeline", { accounts: ids(0, 40) }, every(1)),
    makeWatch("soon", "timeline", { accounts: ids(40, 60) }, { ...every(2), ...P95 }),
    makeWatch("late", "timeline", { accounts: ids(60, 90) }, { ...every(10), ...MEAN }),
  ]);
  expect(await probes(60)).toEqual(Array.from({ length: 60 }, () => 90));
  posts.post(account(50), clock.now() + 1_000);
  posts.post(account(70), clock.now() + 1_000);
  await clock.advance(MIN + 2_000);
  expect(await alerted()).toEqual(["late tweet.created", "soon tweet.created"]);
});

it.each([P95, MEAN])(
  "what others saw of an account under freshness is reported at once, and not asked for again: %o",
  async (freshness) => {
    const { clock, posts, harness, probes, account } = await setup(40, (ids) => [
      makeWatch("posts", "timeline", { accounts: ids(0, 40) }, { ...every(2), ...freshness }),
      makeWatch("names", "profile", { accounts: ids(0, 40) }, every(1)),
    ]);
    expect(await probes(60)).toHaveLength(60);
    const sinceMs = clock.now();
    for (let i = 0; i < 20; i += 1) posts.post(account(i), sinceMs + i * 97_000 + 1_000);
    await clock.advance(40 * MIN);
    const delays = (await harness.events()).map(
      ({ occurredAtMs, detectedAtMs }) => detectedAtMs - occurredAtMs,
    );
    expect(delays).toHaveLength(20);
    expect(Math.max(...delays)).toBeLessThanOrEqual(MIN + 1_000);
  },
);

it.each([
  ["timelines", "timeline", {}, {}],
  ["timelines under freshness", "timeline", {}, MEAN],
  ["lists of followers", "new_followers", { source: "all" }, {}],
] as const)(
  "a newcomer among %s is asked for alone, and the others when it is their turn",
  async (_, type, settings, freshness) => {
    const plan = (to: number) => (ids: (from: number, to: number) => readonly string[]) => [
      makeWatch("w", type, { accounts: ids(0, to), ...settings }, { ...every(5), ...freshness }),
    ];
    const { clock, calls, harness } = await setup(41, plan(40));
    const lastProbeMs = () =>
      Math.max(...calls.flatMap(({ endpoint, atMs }) => (endpoint === "info-batch" ? [atMs] : [])));
    // The time is chosen so that the last probe is too old to be reused, and no other probe is due
    // soon.
    while (clock.now() - lastProbeMs() < 40_000 || clock.now() - lastProbeMs() > 100_000)
      await clock.advance(5_000);
    const sinceMs = clock.now();
    await harness.setWatches(
      plan(41)((from, to) =>
        Array.from({ length: to - from }, (_one, i) => `id:${1_000 + from + i}`),
      ),
    );
    await clock.advance(10_000);
    expect(
      calls
        .filter(({ endpoint, atMs }) => endpoint === "info-batch" && atMs >= sinceMs)
        .map(({ ids }) => ids),
    ).toEqual([1]);
    expect(
      calls.filter(({ endpoint, atMs }) => endpoint !== "info-batch" && atMs >= sinceMs),
    ).toHaveLength(1);
    await clock.advance(HOUR);
    expect(
      calls
        .filter(({ endpoint, atMs }) => endpoint === "info-batch" && atMs >= sinceMs)
        .some(({ ids }) => ids === 41),
    ).toBe(true);
  },
);

it("a group that is slowed down for the quota's sake takes no free place", async () => {
  const { clock, harness, probes } = await setup(40, (ids) => [
    makeWatch("names", "profile", { accounts: ids(0, 20) }, every(1)),
    makeWatch(
      "late",
      "timeline",
      { accounts: ids(20, 40) },
      { ...every(10), ...MEAN, priority: "low" },
    ),
  ]);
  expect(await probes(5)).toEqual(Array.from({ length: 5 }, () => 40));
  const { status } = harness.quotaMonitor;
  Object.defineProperty(harness.quotaMonitor, "status", {
    value: { ...status, factors: { ...status.factors, low: 10 } },
  });
  await clock.advance(1_000);
  expect(await probes(5)).toEqual(Array.from({ length: 5 }, () => 20));
});

it("an account's timeline is read once for all who want it", async () => {
  const { clock, posts, calls, alerted, account } = await setup(10, (ids) => [
    makeWatch("a", "timeline", { accounts: ids(0, 6) }, every(2)),
    makeWatch("b", "timeline", { accounts: ids(4, 10) }, every(2)),
    makeWatch("c", "timeline", { accounts: ids(5, 6) }, every(2)),
  ]);
  expect(calls.filter(({ endpoint }) => endpoint === "user-tweets")).toHaveLength(10);
  posts.post(account(5), clock.now() + 1_000);
  const before = calls.length;
  await clock.advance(2 * MIN + 1_000);
  expect(await alerted()).toEqual(["a tweet.created", "b tweet.created", "c tweet.created"]);
  // There is one probe and one search.
  expect(
    calls
      .slice(before)
      .map(({ endpoint }) => endpoint)
      .sort(),
  ).toEqual(["info-batch", "search-tweets"]);
});

it("accounts of different schedules fill each other's requests where their ticks meet", async () => {
  const { probes } = await setup(70, (ids) => [
    makeWatch("posts", "timeline", { accounts: ids(0, 20) }, every(1)),
    makeWatch("fans", "new_followers", { accounts: ids(20, 40), source: "all" }, every(2)),
    makeWatch(
      "names",
      "profile",
      { accounts: ids(40, 60) },
      { ...every(5), schedule: { kind: "cron", pattern: "*/5 * * * *", timezone: "UTC" } },
    ),
    makeWatch("others", "timeline", { accounts: ids(60, 70) }, every(10)),
  ]);
  const sizes = (await probes(60)).sort((a, b) => a - b);
  expect(sizes).toHaveLength(60);
  expect(sizes.at(-1)).toBe(70);
});
