import { describe, expect, it } from "vitest";
import { layOutDigest } from "../../../src/deliver/stages/digest.ts";
import type { Digest, OutboxEvent, SinkLists } from "../../../src/model/sink.ts";
import { EVENT_TIME_MS, makeEvent, makeTweet, makeUser } from "../../support/make-event.ts";

const seen: Digest[] = [];
/** As many messages as it is asked to make. */
const lists = (parts = 2): SinkLists => ({
  above: 5,
  announce: () => null,
  render: (digest) => {
    seen.push(digest);
    return Array.from({ length: parts }, () => ({ events: [], body: null }));
  },
});
const deps = {
  read: () => expect.unreachable("the order needs no words"),
  listedAt: (events: readonly OutboxEvent[]) => `${events.length} there`,
};
const layOut = (events: readonly OutboxEvent[], { isGroup = false, parts = 2 } = {}) => {
  const { unlisted } = layOutDigest(events, isGroup ? undefined : "throttle", lists(parts), deps);
  return { ...(seen.at(-1) as Digest), left: unlisted };
};

const tweet = (id: string, views = 0, atMs = EVENT_TIME_MS): OutboxEvent => ({
  event: makeEvent(id, { body: { tweet: { ...makeTweet(id), view_count: views } }, occurredAtMs: atMs }),
  watches: ["brand"],
});
const follower = (id: string, followers: number): OutboxEvent => ({
  event: makeEvent(id, { type: "follower.added", body: { user: { ...makeUser(id), followers_count: followers } } }),
  watches: ["fans"],
});
const idsOf = (events: readonly OutboxEvent[]) => events.map(({ event }) => event.subject);
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => String(from + i));

describe("the order of a digest", () => {
  it("begins with the ten most seen: tweets by views, accounts by followers", () => {
    const { top, rest } = layOut([
      ...range(100, 120).map((id) => tweet(id)),
      tweet("200", 5_000),
      follower("300", 90_000),
      tweet("201", 7),
    ]);
    expect(idsOf(top).slice(0, 3)).toEqual(["300", "200", "201"]);
    expect(top).toHaveLength(10);
    expect(rest).toHaveLength(13);
  });

  it("lists up to ten as they came", () => {
    const { top, rest, left } = layOut(range(0, 10).map((id) => tweet(id, Number(id))));
    expect([idsOf(top), idsOf(rest), left]).toEqual([[], range(0, 10), []]);
  });

  it("counts what nobody has seen as seen by none: an event about no tweet and no account", () => {
    const spike: OutboxEvent = { event: makeEvent("w", { type: "volume.spike", body: {} }), watches: ["brand"] };
    const { top, unlisted } = layOut([spike, ...range(10, 30).map((id) => tweet(id, 1))]);
    expect(idsOf(top)).not.toContain("w");
    expect(unlisted).toBeUndefined();
  });

  it("of two events about the same account within a second is that in which they came", () => {
    const one = follower("7", 1);
    const other = { ...one, watches: ["others"] };
    expect(layOut([one, other]).rest.map(({ watches }) => watches)).toEqual([["fans"], ["others"]]);
  });

  it("is by time, and within a second by id, whichever poll found them", () => {
    const second = EVENT_TIME_MS;
    const { rest } = layOut([
      tweet("103", 0, second),
      tweet("101", 0, second + 900),
      tweet("99", 0, second + 500),
      tweet("98", 0, second + 1_000),
    ]);
    expect(idsOf(rest)).toEqual(["99", "101", "103", "98"]);
  });

  it("ends after a thousand, and says where the others are", () => {
    const { top, rest, unlisted, left } = layOut(range(10_000, 11_250).map((id) => tweet(id)));
    expect(top.length + rest.length).toBe(1_000);
    expect(unlisted).toEqual({ count: 250, where: "250 there" });
    expect(idsOf(left)).toEqual(range(11_000, 11_250));
  });

  it("of a group that is none is by time alone where one message takes it", () => {
    const events = range(10, 40).map((id) => tweet(id, Number(id)));
    const whole = layOut(events, { isGroup: true, parts: 1 });
    expect([idsOf(whole.rest), whole.left]).toEqual([range(10, 40), []]);
    expect(layOut(events, { parts: 1 }).top).toHaveLength(10);
    expect(layOut(events, { isGroup: true }).top).toHaveLength(10);
  });
});
