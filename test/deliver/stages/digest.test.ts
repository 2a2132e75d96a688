import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { layOutDigest, type ListFacts } from "../../../src/deliver/stages/digest.ts";
import {
  dealItems,
  MAX_SECTIONS,
  sectionsOf,
} from "../../../src/deliver/stages/digest-sections.ts";
import type { Digest, OutboxEvent, SinkLists } from "../../../src/model/sink.ts";
import type { ScheduledDigest } from "../../../src/route/route.ts";
import { EVENT_TIME_MS, makeEvent, makeTweet, makeUser } from "../../support/make-event.ts";

const seen: Digest[] = [];
const lists: SinkLists = {
  above: 5,
  render: (digest) => {
    seen.push(digest);
    return [{ events: digest.sections.flatMap(({ items }) => items), body: null }];
  },
};
const deps = {
  read: () => expect.unreachable("the order needs no words"),
  listedAt: (events: readonly OutboxEvent[]) => `${events.length} there`,
};
const layOut = (events: readonly OutboxEvent[], facts: Partial<ListFacts> = {}) => {
  const { unlisted } = layOutDigest(
    events,
    { cause: "throttle", mentions: [], ...facts },
    lists,
    deps,
  );
  return { ...(seen.at(-1) as Digest), left: unlisted };
};
const schedule = (changes: Partial<ScheduledDigest> = {}): Partial<ListFacts> => ({
  cause: "schedule",
  written: { nextAtMs: () => 0, maxItems: 100, whenEmpty: "nothing", ...changes },
});

const tweet = (
  id: string,
  changes: Partial<OutboxEvent["event"]> = {},
  likes = 0,
): OutboxEvent => ({
  event: makeEvent(id, {
    watch: "brand",
    body: { tweet: { ...makeTweet(id), likes_count: likes } },
    ...changes,
  }),
  watches: ["brand"],
});
const follower = (id: string, followers = 1): OutboxEvent => ({
  event: makeEvent(id, {
    type: "follower.added",
    watch: "fans",
    body: { user: { ...makeUser(id), followers_count: followers } },
  }),
  watches: ["fans"],
});
const idsOf = (events: readonly OutboxEvent[]) => events.map(({ event }) => event.subject);
const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => String(from + i));
const shapeOf = ({ sections }: Digest) =>
  sections.map(({ title, items }) => [title, idsOf(items).join(" ")]);

describe("the heading of a digest", () => {
  it("names its title, or its watches, those with the most alerts first", () => {
    const mixed = [follower("1"), ...range(10, 13).map((id) => tweet(id))];
    expect(layOut(mixed).title).toBe("brand, fans");
    expect(layOut(mixed, schedule({ title: "Mentions" })).title).toBe("Mentions");
    expect(layOut(["a", "b", "c", "d"].map((watch) => tweet(watch, { watch }))).title).toBe(
      "4 watches",
    );
  });

  it("counts all alerts of each type, listed or not", () => {
    const events = [follower("1"), ...range(10, 30).map((id) => tweet(id))];
    expect([...layOut(events, schedule({ maxItems: 3 })).counts]).toEqual([
      ["follower.added", 1],
      ["tweet.created", 20],
    ]);
  });

  it("is about the time in which its alerts were found, or happened while nobody looked", () => {
    const events = [100, 900].map((ms) =>
      tweet(String(ms), { occurredAtMs: EVENT_TIME_MS + ms, detectedAtMs: EVENT_TIME_MS + ms + 5 }),
    );
    expect(layOut(events).period).toEqual({
      fromMs: EVENT_TIME_MS + 105,
      toMs: EVENT_TIME_MS + 905,
    });
    expect(layOut(events, { cause: "return" }).period).toEqual({
      fromMs: EVENT_TIME_MS + 100,
      toMs: EVENT_TIME_MS + 900,
    });
    expect(layOut(events, { ...schedule(), period: { fromMs: 1, toMs: 2 } }).period).toEqual({
      fromMs: 1,
      toMs: 2,
    });
    expect(layOut(events, { cause: undefined }).period).toBeUndefined();
  });
});

describe("the numbers by which a digest is sorted", () => {
  const sortBy = {
    name: "likes_count",
    of: ({ body }: Pick<OutboxEvent["event"], "body">) => body.tweet?.likes_count,
  };

  it("stand beside their alerts, on one line, unless the title says the number", () => {
    const post = tweet("1", {}, 1_200);
    const crossed = (name: string) =>
      tweet("2", {
        type: "tweet.threshold",
        body: { tweet: { ...makeTweet("2"), likes_count: 9 }, crossed: [name] },
      });
    const { valueText } = layOut([post], schedule({ sortBy }));
    expect(valueText?.(post)).toBe("♥\u00a01.2K");
    expect(valueText?.(crossed("likes_count"))).toBeUndefined();
    expect(valueText?.(crossed("reply_count"))).toBe("♥\u00a09");
  });
});

describe("the sections of a digest", () => {
  it("are the watches where several matched, and the types within a watch of several", () => {
    const posts = range(10, 14).map((id) => tweet(id));
    expect(shapeOf(layOut(posts))).toEqual([["", "10 11 12 13"]]);
    expect(shapeOf(layOut([...posts, follower("20")]))).toEqual([
      ["brand", "10 11 12 13"],
      ["fans", "20"],
    ]);
    expect(shapeOf(layOut([...posts, tweet("15", { type: "tweet.threshold" })]))).toEqual([
      ["Posts", "10 11 12 13"],
      ["Milestones", "15"],
    ]);
    expect(
      shapeOf(layOut([...posts, tweet("15", { type: "tweet.threshold" }), follower("20")])).map(
        ([title]) => title,
      ),
    ).toEqual(["brand: Posts", "brand: Milestones", "fans"]);
  });

  it("are by author, type or label where that is written, and what has no label stands by itself", () => {
    const events = [
      tweet("10", { labels: { author: "alice", team: "comms" } }),
      tweet("11", { labels: { author: "bob" } }),
      { ...follower("12"), event: { ...follower("12").event, labels: {} } },
    ];
    expect(shapeOf(layOut(events, schedule({ groupBy: "author" })))).toEqual([
      ["@alice", "10"],
      ["@bob", "11"],
      ["without author", "12"],
    ]);
    expect(shapeOf(layOut(events, schedule({ groupBy: "team" })))).toEqual([
      ["without team", "11 12"],
      ["comms", "10"],
    ]);
    expect(shapeOf(layOut(events, schedule({ groupBy: "type" })))).toEqual([
      ["Posts", "10 11"],
      ["New followers", "12"],
    ]);
  });

  it("list the highest first, what has no such number after that by time, and show the number", () => {
    const sortBy = {
      name: "tweet.likes_count",
      of: ({ body }: Pick<OutboxEvent["event"], "body">) => body.tweet?.likes_count,
    };
    const digest = layOut(
      [
        follower("9"),
        follower("8"),
        tweet("10", { watch: "fans" }, 5),
        tweet("11", { watch: "fans" }, 1_234),
      ],
      {
        ...schedule({ sortBy, groupBy: "watch" }),
      },
    );
    expect(shapeOf(digest)).toEqual([["fans", "11 10 8 9"]]);
    expect(digest.sections[0]?.items.map((event) => digest.valueText?.(event))).toEqual([
      "♥\u00a01.2K",
      "♥\u00a05",
      undefined,
      undefined,
    ]);
  });

  it("beyond twelve become one of the smallest, which stands last", () => {
    const events = range(0, 15).flatMap((n) =>
      range(0, Number(n) + 1).map((i) => tweet(`${100 + Number(n)}${i}`, { watch: `w${n}` })),
    );
    const { sections } = layOut(events);
    expect(sections).toHaveLength(MAX_SECTIONS);
    expect(sections.map(({ title }) => title)).toEqual([
      ...range(4, 15)
        .reverse()
        .map((n) => `w${n}`),
      "others",
    ]);
    expect(sections.at(-1)?.count).toBe(1 + 2 + 3 + 4);
  });

  it("get one place in turn, the largest first, so that none is left out while there is room", () => {
    const events = [
      ...range(10, 55).map((id) => tweet(id)),
      follower("1"),
      tweet("99", { type: "tweet.threshold" }),
    ];
    const digest = layOut(events, schedule({ maxItems: 4, groupBy: "type" }));
    expect(shapeOf(digest)).toEqual([
      ["Posts", "10 11"],
      ["New followers", "1"],
      ["Milestones", "99"],
    ]);
    expect(digest.unlisted).toEqual({ count: 43, where: "43 there" });
    expect(digest.sections.map(({ count }) => count)).toEqual([45, 1, 1]);
  });

  it("of a digest without a schedule name every alert, however many there are", () => {
    const { sections, unlisted, left } = layOut(range(10_000, 15_000).map((id) => tweet(id)));
    expect(sections.flatMap(({ items }) => items)).toHaveLength(5_000);
    expect(unlisted).toBeUndefined();
    expect(left).toEqual([]);
  });

  it("hold every alert once, listed or counted, and their counts add up", () => {
    const events = fc.array(
      fc.record({
        watch: fc.constantFrom("a", "b", ""),
        label: fc.string({ maxLength: 1 }),
        likes: fc.nat(9),
      }),
      {
        maxLength: 60,
      },
    );
    const groupBy = fc.constantFrom(undefined, "watch", "author", "type", "l");
    fc.assert(
      fc.property(events, groupBy, fc.integer({ min: 1, max: 80 }), (made, by, most) => {
        const all = made.map(({ watch, label, likes }, n) =>
          tweet(String(n + 100), { watch, labels: { l: label } }, likes),
        );
        const sortBy = {
          name: "likes_count",
          of: ({ body }: Pick<OutboxEvent["event"], "body">) => body.tweet?.likes_count,
        };
        const { sections, unlisted } = dealItems(sectionsOf(all, { groupBy: by, sortBy }), most);
        const listed = sections.flatMap(({ items }) => items);
        expect([...idsOf(listed), ...idsOf(unlisted)].sort()).toEqual(idsOf(all).sort());
        expect(listed).toHaveLength(Math.min(most, all.length));
        expect(sections.reduce((sum, { count }) => sum + count, 0)).toBe(all.length);
        expect(sections.length).toBeLessThanOrEqual(MAX_SECTIONS);
        const empty = sections.filter(({ items }) => items.length === 0).length;
        expect(empty === 0 || most < sections.length).toBe(true);
      }),
    );
  });
});

describe("the order of a digest", () => {
  it("of two events about the same account within a second is that in which they came", () => {
    const one = follower("7");
    const other = { ...one, watches: ["others"] };
    expect(layOut([one, other]).sections[0]?.items.map(({ watches }) => watches)).toEqual([
      ["fans"],
      ["others"],
    ]);
  });

  it("is by time, and within a second by id, whichever poll found them", () => {
    const second = EVENT_TIME_MS;
    const at = (id: string, occurredAtMs: number) => tweet(id, { occurredAtMs });
    const { sections } = layOut([
      at("103", second),
      at("101", second + 900),
      at("99", second + 500),
      at("98", second + 1_000),
    ]);
    expect(idsOf(sections[0]?.items ?? [])).toEqual(["99", "101", "103", "98"]);
  });
});
