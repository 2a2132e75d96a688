/** Feeds of tweets whose reads are placed by freshness: what it costs, how late posts are, and that nothing is lost over it. */
import { afterEach, describe, expect, it } from "vitest";
import { sleep } from "../../src/model/clock.ts";
import type { Freshness } from "../../src/model/schedule.ts";
import { compareIds } from "../../src/model/id.ts";
import type { UpstreamAnswer, UpstreamRequest } from "../../src/model/upstream.ts";
import type { Watch } from "../../src/model/watch.ts";
import { createForecast } from "../../src/forecast/forecast.ts";
import { createTimetable } from "../../src/schedule/timetable.ts";
import { createAccountsWorld } from "../support/accounts-world.ts";
import { type EngineHarness, startEngineHarness } from "../support/engine-harness.ts";
import { createFeedWorld } from "../support/feed-world.ts";
import { makeUser } from "../support/make-event.ts";
import { makeWatch, type WatchChanges } from "../support/make-watch.ts";
import { createSearchWorld } from "../support/search-world.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2);
const MIN = 60_000;
const HOUR = 60 * MIN;
const DAY = 24 * HOUR;
const harnesses: EngineHarness[] = [];

afterEach(async () => {
  for (const harness of harnesses.splice(0)) await harness.close();
});

const MEAN: Freshness = { kind: "mean", meanMs: MIN, maxMs: 10 * MIN };
const WORDS = ["acme", "bolt", "crane", "delta", "ember", "flint", "grove", "heron"];
const LIST = "900";

type Answer = (request: UpstreamRequest, nowMs: number) => UpstreamAnswer;

async function setup(watches: readonly Watch[], answer: Answer) {
  const clock = createVirtualClock(START);
  const calls: { readonly endpoint: string; readonly atMs: number }[] = [];
  const upstream = {
    async call(request: UpstreamRequest) {
      calls.push({ endpoint: request.endpoint, atMs: clock.now() });
      await sleep(clock, 40);
      return answer(request, clock.now());
    },
  };
  const harness = await startEngineHarness({ clock, upstream, watches });
  harnesses.push(harness);
  const alerted = async () => (await harness.events()).map(({ subject }) => subject).toSorted();
  const delayOf = async (sinceMs: number) => {
    const late = (await harness.events()).flatMap(({ occurredAtMs, detectedAtMs }) =>
      occurredAtMs >= sinceMs ? [detectedAtMs - occurredAtMs] : [],
    );
    return late.reduce((sum, delay) => sum + delay, 0) / late.length;
  };
  const since = (sinceMs: number, endpoint?: string) =>
    calls.filter((call) => call.atMs >= sinceMs && (endpoint ?? call.endpoint) === call.endpoint).map(({ atMs }) => atMs);
  return { clock, harness, calls, alerted, delayOf, since };
}

/** Calls `post` for bursts of posts from three days before START on, a minute and a half apart. */
function postBursts(days: number, perDay: number, size: number, post: (atMs: number, index: number) => void): void {
  const random = createSeededRandom(7);
  const exponential = (meanMs: number) => -Math.log(1 - random.float()) * meanMs;
  let index = 0;
  for (let atMs = START - 3 * DAY; atMs < START + days * DAY; atMs += exponential(DAY / perDay))
    for (let [count, postMs] = [0, atMs]; count < size; count += 1, postMs += exponential(1.5 * MIN)) post(Math.floor(postMs), index++);
}

/** One feed, whatever is asked for. */
function feedOf(days: number, perDay: number, size: number) {
  const world = createFeedWorld({ random: createSeededRandom(1) });
  postBursts(days, perDay, size, (atMs) => world.post(atMs, 300));
  const posted = (untilMs: number) =>
    world.placed.filter(({ timeMs }) => timeMs > START + 1_000 && timeMs < untilMs).map(({ tweet }) => tweet.id);
  return { world, posted, answer: world.answer };
}

const search = (changes: WatchChanges) => makeWatch("s", "search", { query: "acme lang:en" }, changes);

describe("a search of bursts", () => {
  it("is read with a third fewer requests than an even schedule of the same mean takes; none missed, none twice", async () => {
    const days = 3.5;
    const feed = feedOf(days, 4, 15);
    const { clock, alerted, delayOf, since } = await setup([search({ freshness: MEAN })], feed.answer);
    await clock.advance(days * DAY);
    const from = START + DAY;
    const delay = await delayOf(from);
    const perDay = since(from).length / (days - 1);
    const ids = await alerted();
    expect(ids).toEqual(expect.arrayContaining(feed.posted(clock.now() - 20 * MIN)));
    expect(new Set(ids).size).toBe(ids.length);
    expect(delay).toBeGreaterThan(0.7 * MIN);
    expect(delay).toBeLessThan(1.3 * MIN);
    expect(perDay).toBeLessThan(0.67 * (DAY / (2 * delay)));
  });

  it("is forecast by its own reads, once those of a day were counted", async () => {
    const feed = feedOf(3.2, 30, 4);
    const { clock, harness, since } = await setup([search({ freshness: MEAN })], feed.answer);
    const forecast = () => createForecast(harness.engine.polls, { timetable: createTimetable(), nowMs: clock.now() });
    expect(forecast().pollsPerDay).toBe(720);
    expect(forecast().watches.get("s")?.delay.p95Ms).toBeGreaterThan(MIN);
    await clock.advance(2.1 * DAY);
    await harness.restart();
    const { pollsPerDay, watches } = forecast();
    const [first = 0, second = 0] = watches.get("s")?.nextRunsMs ?? [];
    expect(second - first).toBeCloseTo(DAY / pollsPerDay, -1);
    const from = clock.now();
    await clock.advance(DAY);
    expect(pollsPerDay / since(from).length).toBeGreaterThan(0.8);
    expect(pollsPerDay / since(from).length).toBeLessThan(1.25);
    expect(pollsPerDay).toBeLessThan(720);
  });
});

describe("searches that share queries", () => {
  it("are read together when the posts expected of all are worth it", async () => {
    const days = 2.5;
    const world = createSearchWorld();
    const ids: string[] = [];
    postBursts(days, 8, 6, (atMs, index) => {
      const { tweet } = world.post(WORDS[index % WORDS.length] ?? "", atMs, { lagMs: 300 });
      if (atMs > START + 1_000 && atMs < START + days * DAY - 20 * MIN) ids.push(tweet.id);
    });
    const watches = WORDS.map((query) => makeWatch(query, "search", { query }, { freshness: MEAN }));
    const { clock, alerted, delayOf, since } = await setup(watches, world.answer);
    await clock.advance(days * DAY);
    const from = START + DAY;
    const delay = await delayOf(from);
    expect(await alerted()).toEqual(expect.arrayContaining(ids));
    expect(new Set(await alerted()).size).toBe((await alerted()).length);
    expect(delay).toBeGreaterThan(0.7 * MIN);
    expect(delay).toBeLessThan(1.3 * MIN);
    // An even schedule of that mean, with the same sharing and no verification reads.
    expect(since(from).length / (days - 1)).toBeLessThan(0.85 * (DAY / (2 * delay)));
  });
});

describe("accounts read through a list", () => {
  it("are one feed, and those off the list a group under the same freshness", async () => {
    const days = 2;
    const world = createAccountsWorld();
    const accounts = Array.from({ length: 6 }, (_, index) => world.add(`a${index}`));
    const on = accounts.slice(0, 5);
    const ids: string[] = [];
    postBursts(days, 6, 10, (atMs, index) => {
      const post = world.post(accounts[index % accounts.length] ?? accounts[0]!, atMs, { searchLagMs: 500 });
      if (atMs > START + 1_000 && atMs < START + days * DAY - 20 * MIN) ids.push(post.id);
    });
    const answer: Answer = (request, nowMs) => {
      if (request.endpoint === "list-members") return { users: on.map(({ id }) => makeUser(id)) };
      if (request.endpoint !== "list-tweets") return world.answer(request, nowMs);
      const tweets = on
        .flatMap(({ id }) => world.answer({ ...request, endpoint: "user-tweets", params: { user_id: id } }, nowMs).tweets ?? [])
        .toSorted((a, b) => compareIds(b.id, a.id));
      return { tweets: tweets.slice(0, 40) };
    };
    const watch = makeWatch(
      "w",
      "timeline",
      { accounts: accounts.map(({ id }) => `id:${id}`), via_list: LIST },
      { freshness: MEAN, include: { reply: true, quote: true, retweet: true } },
    );
    const { clock, harness, alerted, delayOf, since } = await setup([watch], answer);
    await clock.advance(days * DAY);
    const from = START + DAY;
    expect(await alerted()).toEqual(expect.arrayContaining(ids));
    const timing = { kind: "freshness", freshness: MEAN };
    expect(harness.engine.polls.map((poll) => [poll.timing, poll.group?.kind])).toEqual([
      [timing, undefined],
      [timing, "accounts"],
    ]);
    // Six bursts are counted: where a probe falls in one of them moves the mean by seconds.
    expect(await delayOf(from)).toBeGreaterThan(0.5 * MIN);
    expect(await delayOf(from)).toBeLessThan(1.3 * MIN);
    expect(since(from, "list-tweets").length / (days - 1)).toBeLessThan(0.9 * 720);
  });
});
