/**
 * Tests feeds of tweets whose reads are placed by freshness: what it costs, how late posts are, and
 * that nothing is lost.
 */
import { describe, expect, it } from "vitest";
import type { Freshness } from "../../src/model/schedule.ts";
import { compareIds } from "../../src/model/id.ts";
import { createAccountsWorld } from "../support/accounts-world.ts";
import { makeUser } from "../support/make-event.ts";
import { makeWatch } from "../support/make-watch.ts";
import { createSearchWorld } from "../support/search-world.ts";
import {
  type Answer,
  DAY,
  feedOf,
  MIN,
  postBursts,
  search,
  setup,
  START,
} from "../engine/fresh-feed.ts";

const MEAN: Freshness = { kind: "mean", meanMs: MIN, maxMs: 10 * MIN };
const WORDS = ["acme", "bolt", "crane", "delta", "ember", "flint", "grove", "heron"];
const LIST = "900";

describe("a search of bursts", () => {
  it("is read with a third fewer requests than an even schedule of the same mean takes; none missed, none twice", async () => {
    const days = 3.5;
    const feed = feedOf(days, 4, 15);
    const { clock, alerted, delayOf, since } = await setup(
      [search({ freshness: MEAN })],
      feed.answer,
    );
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
    const watches = WORDS.map((query) =>
      makeWatch(query, "search", { query }, { freshness: MEAN }),
    );
    const { clock, alerted, delayOf, since } = await setup(watches, world.answer);
    await clock.advance(days * DAY);
    const from = START + DAY;
    const delay = await delayOf(from);
    expect(await alerted()).toEqual(expect.arrayContaining(ids));
    expect(new Set(await alerted()).size).toBe((await alerted()).length);
    expect(delay).toBeGreaterThan(0.7 * MIN);
    expect(delay).toBeLessThan(1.3 * MIN);
    // The comparison is an even schedule with the same mean, the same sharing and no verification
    // reads.
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
      const post = world.post(accounts[index % accounts.length] ?? accounts[0]!, atMs, {
        searchLagMs: 500,
      });
      if (atMs > START + 1_000 && atMs < START + days * DAY - 20 * MIN) ids.push(post.id);
    });
    const answer: Answer = (request, nowMs) => {
      if (request.endpoint === "list-members") return { users: on.map(({ id }) => makeUser(id)) };
      if (request.endpoint !== "list-tweets") return world.answer(request, nowMs);
      const tweets = on
        .flatMap(
          ({ id }) =>
            world.answer({ ...request, endpoint: "user-tweets", params: { user_id: id } }, nowMs)
              .tweets ?? [],
        )
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
    // Only six bursts are counted, so the position of a probe in one of them moves the mean by
    // seconds.
    expect(await delayOf(from)).toBeGreaterThan(0.5 * MIN);
    expect(await delayOf(from)).toBeLessThan(1.3 * MIN);
    expect(since(from, "list-tweets").length / (days - 1)).toBeLessThan(0.9 * 720);
  });
});
