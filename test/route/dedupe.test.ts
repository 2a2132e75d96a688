import { describe, expect, it } from "vitest";
import { onceBy, plainText } from "../../src/route/dedupe.ts";
import { onceOf } from "../../src/route/noise.ts";
import { type Route } from "../../src/route/route.ts";
import { routeEvent, type SinkFacts } from "../../src/route/route-event.ts";
import { EVENT_TIME_MS, makeEvent, makeTweet, makeUser } from "../support/make-event.ts";

const HOUR = 3_600_000;
const post = (id: string, text: string, author = "7", watch = "brand") =>
  makeEvent(id, {
    watch,
    labels: { watch },
    body: { tweet: { ...makeTweet(id, text), user: makeUser(author) } },
  });
const keyOf = (event: ReturnType<typeof post>, ...key: readonly string[]) =>
  onceBy(event, { key, windowMs: HOUR })?.key;

const NEWS = "Acme is down for the third hour, says a spokesman";

describe("what is alike", () => {
  it("by text is a reposted copy, whatever its case, links, mentions and spaces", () => {
    const copy = `@someone ${NEWS.toUpperCase()}\n\nhttps://t.co/abc  `;
    expect(keyOf(post("1", NEWS), "text")).toBe(keyOf(post("2", copy), "text"));
    expect(keyOf(post("1", NEWS), "text")).not.toBe(keyOf(post("2", `${NEWS} again`), "text"));
  });

  it("by text is no short one, and none of links and mentions alone", () => {
    expect(keyOf(post("1", "Good morning!"), "text")).toBeUndefined();
    expect(plainText("@acme @rival https://example.com/a-long-path-that-says-nothing")).toBe("");
  });

  it("by author is a post of the same account, also after it was renamed", () => {
    const renamed = post("2", "b");
    const other = { ...renamed, labels: { author: "new_name" } };
    expect(keyOf(post("1", "a"), "author")).toBe(keyOf(other, "author"));
    expect(keyOf(post("1", "a"), "author")).not.toBe(keyOf(post("2", "b", "8"), "author"));
  });

  it("by several parts is what is alike in all of them", () => {
    expect(keyOf(post("1", NEWS), "text", "author")).toBe(keyOf(post("2", NEWS), "text", "author"));
    expect(keyOf(post("1", NEWS), "text", "author")).not.toBe(
      keyOf(post("2", NEWS, "8"), "text", "author"),
    );
    expect(keyOf(post("1", NEWS), "tweet", "watch")).not.toBe(
      keyOf(post("1", NEWS, "7", "other"), "tweet", "watch"),
    );
  });

  it("is never an event without the label, nor one of another type", () => {
    expect(keyOf(makeEvent("1"), "team")).toBeUndefined();
    const team = { labels: { team: "comms" } };
    expect(keyOf(makeEvent("1", team), "team")).not.toBe(
      keyOf(makeEvent("1", { ...team, type: "profile.changed" }), "team"),
    );
    expect(keyOf({ ...post("1", NEWS), type: "tweet.threshold" }, "tweet")).toBeUndefined();
  });

  it("by tweet alone is what chats have by default, with the same memory", () => {
    expect(keyOf(post("1", NEWS), "tweet")).toBe(onceOf(post("1", NEWS))?.key);
  });
});

describe("which dedupe counts", () => {
  const route: Route = {
    path: "0",
    sinks: ["a"],
    matchers: [],
    continues: false,
    groupBy: [],
    groupWaitMs: 0,
    groupIntervalMs: 0,
    routes: [],
  };
  const onceAt = (facts: SinkFacts, own: Partial<Route>, event = post("1", NEWS)) =>
    routeEvent(event, {
      ownSinks: [],
      tree: { ...route, ...own },
      sinks: new Map([["a", facts]]),
      nowMs: EVENT_TIME_MS,
    })[0]?.once;
  const byAuthor = { key: ["author"], windowMs: HOUR };

  it("is the route's, then the sink's, then the default of chats", () => {
    expect(
      onceAt({ chat: true, dedupe: byAuthor }, { dedupe: { key: ["text"], windowMs: 1 } })?.by,
    ).toBe("text");
    expect(onceAt({ chat: false, dedupe: byAuthor }, {})).toMatchObject({
      by: "author",
      withinMs: HOUR,
    });
    expect(onceAt({ chat: true }, {})).toEqual({ key: "tweet:1", withinMs: 24 * HOUR });
    expect(onceAt({ chat: false }, {})).toBeUndefined();
  });

  it("is none with false, also in a chat", () => {
    expect(onceAt({ chat: true, dedupe: byAuthor }, { dedupe: false })).toBeUndefined();
    expect(onceAt({ chat: true, dedupe: false }, {})).toBeUndefined();
  });

  it("leaves the default for accounts that come and go, where its key says nothing of them", () => {
    const follower = makeEvent("9", { type: "follower.added", body: { target: makeUser("99") } });
    expect(onceAt({ chat: true, dedupe: { key: ["text"], windowMs: HOUR } }, {}, follower)).toEqual(
      onceOf(follower),
    );
    expect(
      onceAt({ chat: true, dedupe: { key: ["text"], windowMs: HOUR } }, {}, post("1", "short")),
    ).toBeUndefined();
  });
});
