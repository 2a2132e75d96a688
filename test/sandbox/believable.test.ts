/**
 * Tests what a newcomer would check before believing in the world: who posts how much and when, and
 * that every kind of event occurs.
 */
import { expect, test } from "vitest";
import { evaluateQuery } from "../../src/query/evaluate.ts";
import { parseQuery } from "../../src/query/parse.ts";
import { createShow } from "../../src/sandbox/world/shown/show.ts";
import { liveListeners, spaceState } from "../../src/sandbox/world/spaces.ts";
import type { TweetRecord } from "../../src/sandbox/world/tweets/tweet-record.ts";
import { createWorld } from "../../src/sandbox/world/world.ts";
import { openSandbox, START_MS } from "./ask.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const world = createWorld({ seed: 1, accounts: 1_000, startMs: START_MS });
const tweets = [...world.tweets.scan(START_MS)];
const keys = Array.from({ length: 1_000 }, (_, key) => key);
const days = Array.from({ length: 30 }, (_, day) => START_MS + day * DAY_MS);

test("a tenth of the accounts posts more than half, and about half of them are silent for two days", () => {
  const counts = new Map<number, number>();
  for (const { author } of tweets) counts.set(author, (counts.get(author) ?? 0) + 1);
  const sorted = [...counts.values()].sort((a, b) => b - a);
  expect(sorted.slice(0, 100).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(
    tweets.length / 2,
  );
  const heard = new Set(
    tweets.filter(({ atMs }) => atMs > START_MS - 2 * DAY_MS).map(({ author }) => author),
  );
  expect(1_000 - heard.size).toBeGreaterThan(400);
  expect(1_000 - heard.size).toBeLessThan(600);
});

test("posting rates are log-normal with the given median and mean", () => {
  const busy = createWorld({
    seed: 1,
    accounts: 1_000,
    startMs: START_MS,
    rates: { median: 2, mean: 4 },
  });
  const perDay = Array.from(
    { length: 1_000 },
    (_, key) => [...busy.tweets.scanBy([key], START_MS)].length / 14.5,
  ).sort((a, b) => a - b);
  expect(perDay[500]).toBeGreaterThan(1.6);
  expect(perDay[500]).toBeLessThan(2.4);
  expect(perDay.reduce((sum, each) => sum + each, 0) / 1_000).toBeCloseTo(4, 0);
});

test("there is day and night, for each account and for all together", () => {
  const byHour = (of: readonly TweetRecord[]) => {
    const hours = Array.from({ length: 24 }, () => 0);
    for (const { atMs } of of)
      hours[new Date(atMs).getUTCHours()] = (hours[new Date(atMs).getUTCHours()] ?? 0) + 1;
    return hours;
  };
  const all = byHour(tweets);
  expect(Math.max(...all)).toBeGreaterThan(1.5 * Math.min(...all));
  const own = byHour([0, 1].flatMap((star) => [...world.tweets.scanBy([star], START_MS)]));
  expect(Math.min(...own)).toBeLessThan(Math.max(...own) / 5);
});

test("within a month there are renames, new bios, protections, suspensions, deletions, and the first hundred stay as they are", () => {
  const seen = { renames: 0, bios: 0, protected: 0, suspended: 0, deletedForGood: 0, hidden: 0 };
  for (const key of keys.slice(100)) {
    const states = days.map((atMs) => world.at(atMs).people);
    if (new Set(states.map((people) => people.usernameOf(key))).size > 1) seen.renames += 1;
    if (new Set(states.map((people) => people.revisions(key))).size > 1) seen.bios += 1;
    const hidden = states.map((people) => people.isProtected(key));
    if (hidden.includes(true) && hidden.includes(false)) seen.protected += 1;
    const gone = states.map((people) => people.isGone(key));
    if (gone.includes(true) && gone.lastIndexOf(false) > gone.indexOf(true)) seen.suspended += 1;
    if (gone.at(-1) === true && gone.indexOf(true) > 0) seen.deletedForGood += 1;
    if (states[0]?.isHiddenFromSearch(key)) seen.hidden += 1;
  }
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(0);
  const last = world.at(days.at(-1) ?? 0).people;
  for (const key of keys.slice(0, 100))
    expect([last.usernameOf(key), last.isReadable(key)]).toEqual([
      world.people.usernameOf(key),
      true,
    ]);
});

test("a renamed account answers under its new handle alone, and counts the change", () => {
  const end = START_MS + 30 * DAY_MS;
  const key =
    keys.find(
      (each) =>
        each >= 100 && world.people.usernameOf(each) !== world.at(end).people.usernameOf(each),
    ) ?? 0;
  const { people } = world.at(end);
  expect(people.keyOfHandle(people.usernameOf(key))).toBe(key);
  expect(people.keyOfHandle(world.people.usernameOf(key))).toBeUndefined();
  expect(people.renames(key).length).toBeGreaterThan(world.people.renames(key).length);
  expect(people.keyOfId(people.idOf(key))).toBe(key);
});

test("some tweets are taken back, and the counters with them", () => {
  const regretted = tweets.filter(
    ({ deletedMs, author }) => deletedMs !== undefined && deletedMs < START_MS && author >= 100,
  );
  expect(regretted.length).toBeGreaterThan(5);
  expect(regretted.some((record) => createShow(world, START_MS).isVisible(record))).toBe(false);
  const record = tweets.find(
    ({ deletedMs }) => deletedMs !== undefined && deletedMs > START_MS + HOUR_MS,
  );
  if (record?.deletedMs === undefined) throw new Error("nothing is taken back later");
  const count = (atMs: number) => world.tweets.countBy(record.author, atMs).posts;
  const others = [...world.tweets.scanBy([record.author], record.deletedMs)].filter(
    ({ atMs }) => atMs === record.deletedMs,
  ).length;
  expect(count(record.deletedMs) - count(record.deletedMs - 1)).toBe(
    others - (record.atMs >= Math.floor(START_MS / DAY_MS) * DAY_MS ? 1 : 0),
  );
});

test("counters are what can be seen, and a moment ahead", () => {
  const nowMs = START_MS + 3 * DAY_MS;
  const firstDayMs = Math.floor(START_MS / DAY_MS) * DAY_MS;
  for (const key of keys.slice(0, 50)) {
    const own = [...world.tweets.scanBy([key], nowMs, undefined, firstDayMs)].filter(
      ({ deletedMs }) => (deletedMs ?? Infinity) > nowMs,
    );
    const media = own.filter((record) => record.media.some((type) => type !== "url"));
    expect(world.tweets.countBy(key, nowMs)).toEqual({ posts: own.length, media: media.length });
  }
});

test("likes and answers grow with age, so that thresholds are crossed", () => {
  const record = [...world.tweets.scanBy([0], START_MS)].find(
    ({ likesAtLast, kind, atMs }) =>
      likesAtLast > 100 && kind === "post" && atMs < START_MS - DAY_MS,
  );
  if (record === undefined) throw new Error("acme has no loved post");
  const shown = [1, 4, 24].map((hours) =>
    createShow(world, record.atMs + hours * HOUR_MS).tweet(record),
  );
  expect(shown.map((tweet) => tweet.likes_count)).toEqual(
    shown.map((tweet) => tweet.likes_count).toSorted((a, b) => a - b),
  );
  expect(new Set(shown.map((tweet) => tweet.view_count)).size).toBe(3);
  expect(shown[2]?.retweet_count).toBeGreaterThanOrEqual(shown[0]?.retweet_count ?? 0);
  const answered = tweets.filter(
    (each) => each.author < 5 && world.tweets.answersTo(each, START_MS).length > 2,
  );
  expect(answered.length).toBeGreaterThan(5);
});

test("what answers a tweet names it as its target, and the other way round", () => {
  const answers = tweets.filter(({ targetId, author }) => targetId !== undefined && author < 300);
  expect(answers.length).toBeGreaterThan(100);
  for (const answer of answers) {
    const target = world.tweets.find(answer.targetId ?? "");
    if (target === undefined || answer.deletedMs !== undefined) continue;
    expect(world.tweets.answersTo(target, START_MS + HOUR_MS).map(({ id }) => id)).toContain(
      answer.id,
    );
  }
});

test("people join and leave accounts, lists and communities from day to day", () => {
  const walk = (count: number, at: (position: number) => number | undefined) =>
    new Set(
      Array.from({ length: count }, (_, position) => at(position)).filter(
        (key) => key !== undefined,
      ),
    );
  const rosters: Record<string, (nowMs: number) => ReadonlySet<number>> = {
    followers: (nowMs) =>
      walk(world.follows.followerPositions(0, nowMs), (position) =>
        world.follows.followerAt(0, position, nowMs),
      ),
    following: (nowMs) =>
      walk(world.follows.followingPositions(2, nowMs), (position) =>
        world.follows.followingAt(2, position, nowMs),
      ),
    ...Object.fromEntries(
      world.groups
        .communities()
        .map((group) => [
          group.name,
          (nowMs: number) => new Set(world.groups.membersOf(group, nowMs)),
        ]),
    ),
    ...Object.fromEntries(
      world.groups
        .lists()
        .map((list) => [
          `list ${list.id}`,
          (nowMs: number) => new Set(world.groups.membersOf(list, nowMs)),
        ]),
    ),
    ...Object.fromEntries(
      world.groups
        .lists()
        .map((list) => [
          `followers of ${list.id}`,
          (nowMs: number) =>
            walk(world.groups.followerPositions(list, nowMs), (position) =>
              world.groups.followerAt(list, position, nowMs),
            ),
        ]),
    ),
  };
  for (const [name, roster] of Object.entries(rosters)) {
    const [before, after] = [roster(START_MS), roster(START_MS + 10 * DAY_MS)];
    expect([...after].filter((key) => !before.has(key)).length, `${name}: joined`).toBeGreaterThan(
      0,
    );
    expect([...before].filter((key) => !after.has(key)).length, `${name}: left`).toBeGreaterThan(0);
    expect([...before].filter((key) => after.has(key)).length, `${name}: stayed`).toBeGreaterThan(
      before.size / 2,
    );
  }
});

test("verified followers, top lists and categorised followers move, too", async () => {
  const { get, clock } = await openSandbox({ accounts: 300, traps: false });
  const ids = async (path: string) =>
    ((await get(path)).body.users as readonly { readonly id: string }[]).map(({ id }) => id);
  const paths = [
    "verified-followers?username=acme",
    "top-followers?username=acme",
    "top-following?username=alice",
    "new-followers-7d?username=acme",
  ];
  const listAll = async () => Promise.all(paths.map(ids));
  const stats = async () => (await get("followers-stats?username=acme")).body;
  const [before, statsBefore] = [await listAll(), await stats()];
  await clock.advance(20 * DAY_MS);
  const [after, statsAfter] = [await listAll(), await stats()];
  paths.forEach((path, at) => {
    expect(
      after[at]?.filter((id) => before[at]?.includes(id) !== true).length,
      `${path}: joined`,
    ).toBeGreaterThan(0);
    expect(
      before[at]?.filter((id) => after[at]?.includes(id) !== true).length,
      `${path}: left`,
    ).toBeGreaterThan(0);
  });
  expect(statsAfter).not.toEqual(statsBefore);
});

test("an article's counts grow, and /about counts the renames of the profile", async () => {
  const { get, post, control, clock } = await openSandbox({ accounts: 300 });
  expect(tweets.filter((record) => record.isArticle === true).length).toBeGreaterThan(10);
  const [id] = (await control("GET", "sample")).body.article_ids;
  const article = (await post("article", { tweet_link: id })).body;
  await control("POST", "tweets", { username: "newcomer", text: "I read it", reply_to: id });
  expect((await post("article", { tweet_link: id })).body.reply_count).toBe(
    article.reply_count + 1,
  );
  await control("POST", "accounts", { username: "alice", rename_to: "alice_m" });
  const about = (await get("about?username=alice_m")).body;
  expect(about).toMatchObject({
    username_change_count: 1,
    last_username_change_at: new Date(clock.now()).toISOString(),
  });
});

test("the follower list holds as many as the profile says, each once, whoever left", () => {
  const nowMs = START_MS + 10 * DAY_MS;
  for (const key of [2, 7, 150]) {
    const found = Array.from(
      { length: world.follows.followerPositions(key, nowMs) },
      (_, position) => world.follows.followerAt(key, position, nowMs),
    );
    const there = found.filter((each) => each !== undefined);
    expect(there).toHaveLength(world.follows.followerCount(key, nowMs));
    expect(new Set(there).size).toBe(there.length);
    for (const follower of there.slice(-20))
      expect(world.follows.isFollowing(follower, key, nowMs)).toBe(true);
  }
});

test("scores move once a day, and their changes are those of their own history", () => {
  for (const key of [0, 5, 77]) {
    const [noon, evening, week, month] = [0, 6 * HOUR_MS, 7 * DAY_MS, 30 * DAY_MS].map((ms) =>
      world.scores.score(key, START_MS + ms),
    );
    expect(evening).toBe(noon);
    expect(world.scores.score(key, START_MS + DAY_MS)).not.toBe(noon);
    expect(
      Math.abs(
        world.scores.changes(key, START_MS + 7 * DAY_MS).week_delta - ((week ?? 0) - (noon ?? 0)),
      ),
    ).toBeLessThanOrEqual(1);
    expect(
      Math.abs(
        world.scores.changes(key, START_MS + 30 * DAY_MS).month_delta -
          ((month ?? 0) - (noon ?? 0)),
      ),
    ).toBeLessThanOrEqual(1);
  }
});

test("trends rise and fall over the day, in each place its own way", () => {
  const names = (woeid: number, hours: number) =>
    world.trends.at(woeid, START_MS + hours * HOUR_MS)?.map(({ name }) => name);
  expect(names(1, 0)).not.toEqual(names(1, 3));
  expect(names(1, 0)).not.toEqual(names(638242, 0));
  expect(
    new Set(Array.from({ length: 24 }, (_, hour) => names(1, hour)?.[0])).size,
  ).toBeGreaterThan(3);
  expect(
    names(1, 0)?.filter((name) => names(1, 1)?.includes(name) === true).length,
  ).toBeGreaterThan(8);
});

test("Spaces are announced, go live, fill and empty, end, and new ones follow", () => {
  const nowMs = START_MS + 10 * DAY_MS;
  const spaces = world.spaces.latest(nowMs, 20);
  expect(new Set(spaces.map((space) => space.id)).size).toBe(20);
  for (const space of spaces) {
    const at = (ms: number) => [spaceState(space, ms), liveListeners(space, ms) > 0];
    expect([
      at(space.startsMs - 1),
      at((space.startsMs + space.endsMs) / 2),
      at(space.endsMs),
    ]).toEqual([
      ["NotStarted", false],
      ["Running", true],
      ["Ended", false],
    ]);
    expect(world.spaces.find(space.id, nowMs)).toEqual(space);
    expect(world.spaces.find(space.id, space.createdMs - 1)).toBeUndefined();
  }
});

test("a search over searchable tweets finds what a search over whole tweets finds", () => {
  const show = createShow(world, START_MS);
  const seen = tweets.slice(0, 1_500).map((record) => ({
    id: record.id,
    searchable: show.searchable(record),
    whole: show.tweet(record),
  }));
  const queries = [
    "acme",
    "from:alice",
    "@acme",
    "#rollups",
    "$BTC",
    "to:acme",
    "lang:de",
    "filter:replies",
    "filter:quote",
    "filter:media",
    "url:example",
  ];
  const more = [
    "filter:links",
    "filter:verified",
    "filter:has_engagement",
    "filter:safe",
    "min_faves:50",
    "min_retweets:1",
    "min_replies:1",
  ];
  for (const text of [
    ...queries,
    ...more,
    "include:nativeretweets RT",
    "filter:nativeretweets",
    "since:2026-03-05",
    "-filter:hashtags mila",
  ]) {
    const query = parseQuery(text);
    const found = (as: "searchable" | "whole") =>
      seen
        .filter((tweet) => evaluateQuery(query, tweet[as], { nowMs: START_MS }))
        .map(({ id }) => id);
    expect(found("searchable"), text).toEqual(found("whole"));
    expect(found("searchable").length, text).toBeGreaterThan(0);
  }
});
