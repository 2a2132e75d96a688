import { describe, expect, it } from "vitest";
import type { Tweet } from "../../src/model/tweet.ts";
import { rosterMessage } from "../../src/render/messages/roster-message.ts";
import { opsAlertMessage } from "../../src/render/messages/ops-alert-message.ts";
import { headingOf, plainMessage } from "../../src/render/messages/plain-message.ts";
import { scoreMessage } from "../../src/render/messages/score-message.ts";
import { statsMessage } from "../../src/render/messages/stats-message.ts";
import { titleParts, titleWithoutAuthor } from "../../src/render/messages/title-parts.ts";
import { tweetChangeMessage } from "../../src/render/messages/tweet-change-message.ts";
import { tweetMessage } from "../../src/render/messages/tweet-message.ts";
import {
  EVENT_TIME_MS,
  makeEvent,
  makeOpsAlert,
  makeTweet,
  makeUser,
} from "../support/make-event.ts";

const context = { linksHost: "https://x.com" };
const bob = { ...makeUser("8", "bob"), display_name: "Bob" };

const readTweet = (changes: Partial<Tweet>) =>
  tweetMessage(
    {
      event: makeEvent("12", {
        body: { tweet: { ...makeTweet("12", "hello &amp; <bye>"), ...changes } },
      }),
      watches: ["brand", "rivals"],
    },
    context,
  );

describe("a tweet", () => {
  it("reads as who did what, with text, permalink, time and every watch that matched", () => {
    expect(readTweet({})).toMatchObject({
      title: "ALICE (@alice) posted",
      author: { name: "ALICE", handle: "alice", url: "https://x.com/alice" },
      body: "hello &amp; <bye>",
      url: "https://x.com/alice/status/12",
      occurredAtMs: EVENT_TIME_MS,
      watches: ["brand", "rivals"],
      severity: "info",
    });
  });

  it("names whom a reply answers, and links it", () => {
    const message = readTweet({
      is_reply: true,
      in_reply_to_tweet_id: "5",
      in_reply_to_username: "bob",
    });
    expect(message.title).toBe("ALICE (@alice) replied to @bob");
    expect(message.context).toEqual({
      label: "Answered post",
      body: "",
      url: "https://x.com/bob/status/5",
    });
  });

  it("shows the text of a quoted tweet", () => {
    const message = readTweet({
      is_quote_status: true,
      quoted_status: { ...makeTweet("5", "first"), user: bob },
    });
    expect(message.title).toBe("ALICE (@alice) quoted Bob (@bob)");
    expect(message.context).toEqual({
      label: "Bob (@bob)",
      body: "first",
      url: "https://x.com/bob/status/5",
    });
  });

  it("shows a repost once, with the counts and pictures of what was reposted", () => {
    const entities = [
      { type: "photo", link: "https://pics.example/l", preview: "https://pics.example/p.jpg" },
    ];
    const message = readTweet({
      full_text: "RT @bob: fir…",
      retweeted_status: { ...makeTweet("5", "first"), user: bob, likes_count: 12_345, entities },
    });
    expect(message.body).toBe("");
    expect(message.context?.body).toBe("first");
    expect(message.facts).toContainEqual({ name: "Likes", value: "12.3K" });
    expect(message.media).toEqual([{ kind: "photo", url: "https://pics.example/p.jpg" }]);
  });

  it("takes pictures and videos for media, links not", () => {
    const entity = (type: string) => ({ type, link: `https://e.example/${type}`, preview: "" });
    expect(
      readTweet({ entities: [entity("url"), entity("photo"), entity("video")] }).media.map(
        ({ kind }) => kind,
      ),
    ).toEqual(["photo", "video"]);
  });

  it("takes another title where the event says something else", () => {
    expect(
      tweetMessage({ event: makeEvent("12"), watches: [] }, context, "Passed 1,000 likes").title,
    ).toBe("Passed 1,000 likes");
  });
});

describe("a deleted tweet", () => {
  it("is named by its author and time in the reader's zone, and never by its text", () => {
    const tweet = {
      ...makeTweet("12", "a secret"),
      created_at: "2026-11-26T23:30:00.000Z",
      user: { ...bob },
    };
    const event = makeEvent("12", { type: "tweet.deleted", body: { tweet } });
    const read = (region = {}) =>
      tweetMessage({ event, watches: ["brand"] }, { ...context, ...region });
    expect(read().title).toBe(
      "A post by Bob (@bob) of 2026-11-26 23:30 UTC is gone: deleted, or no longer public",
    );
    expect(read({ timezone: "Europe/Berlin" }).title).toContain(" of 2026-11-27 00:30 is gone");
    expect(JSON.stringify(read())).not.toContain("secret");
    const { title } = tweetMessage(
      { event: { ...event, body: { tweet: { ...tweet, created_at: "" } } }, watches: [] },
      context,
    );
    expect(title).toBe("A post by Bob (@bob) is gone: deleted, or no longer public");
  });
});

describe("a follower", () => {
  const event = (type: string) => ({
    event: makeEvent("8", {
      type,
      body: { user: { ...bob, description: "bio" }, target: makeUser("99", "acme") },
    }),
    watches: ["fund"],
  });

  it("reads as who follows whom, with what makes them interesting", () => {
    const message = rosterMessage(event("follower.added"), context);
    expect(message).toMatchObject({
      title: "@acme has a new follower: Bob (@bob)",
      body: "bio",
      url: "https://x.com/bob",
    });
    expect(message.facts).toContainEqual({ name: "Followers", value: "10" });
  });

  it("says so when one left", () => {
    expect(rosterMessage(event("follower.removed"), context).title).toBe(
      "@acme lost a follower: Bob (@bob)",
    );
  });
});

describe("a score", () => {
  it("reads as which way it moved, what it was, and the thresholds crossed", () => {
    const body = {
      user: bob,
      score: { week_delta: 27, month_delta: -3.5 },
      previous: { week_delta: 12, month_delta: 1 },
      crossed: ["week_delta"],
    };
    const message = scoreMessage(
      { event: makeEvent("8", { type: "score.changed", body }), watches: ["scores"] },
      context,
    );
    expect(message.title).toBe("Bob (@bob): score +27 in a week, -3.5 in a month");
    expect(message.body).toBe("The change in a week crossed its threshold.");
    expect(message.facts).toContainEqual({
      name: "Before",
      value: "+12 in a week, +1 in a month",
    });
  });
});

describe("counts that crossed", () => {
  it("are named in the singular where there is one", () => {
    const event = makeEvent("8", {
      type: "tweet.threshold",
      body: {
        tweet: { ...makeTweet("8"), reply_count: 12, likes_count: 1 },
        previous: { reply_count: 1, likes_count: 3 },
        crossed: ["reply_count", "likes_count"],
      },
    });
    const message = tweetChangeMessage({ event, watches: ["w"] }, context);
    expect(message.title).toContain("reached 12 replies and fell to 1 like");
    expect(message.facts).toContainEqual({ name: "Before", value: "1 reply, 3 likes" });
  });

  it("are said once: a fact does not repeat them", () => {
    const event = makeEvent("8", {
      type: "tweet.threshold",
      body: {
        tweet: { ...makeTweet("8"), likes_count: 10_012, reply_count: 12 },
        previous: { likes_count: 9_870 },
        crossed: ["likes_count"],
      },
    });
    const names = tweetChangeMessage({ event, watches: ["w"] }, context).facts.map(
      ({ name }) => name,
    );
    expect(names).not.toContain("Likes");
    expect(names).toContain("Replies");
  });

  it("keep what describes them as it is", () => {
    const stats = { followers_count: 1, venture_capitals_count: 1 };
    const body = { user: bob, stats, previous: {}, crossed: Object.keys(stats) };
    const event = makeEvent("8", { type: "stats.changed", body });
    expect(statsMessage({ event, watches: ["w"] }, context).title).toBe(
      "Bob (@bob) reached 1 follower of note and reached 1 venture capital firm among its followers",
    );
  });
});

describe("the daemon's own events", () => {
  it("read as their sentence and cure, with the plain values as facts", () => {
    const event = {
      ...makeOpsAlert("sink.failing"),
      body: {
        message: "brand cannot be reached",
        hint: "invite @chirpwatch to #brand",
        sink: "brand",
        deep: {},
      },
    };
    expect(opsAlertMessage({ event, watches: [] })).toMatchObject({
      title: "brand cannot be reached",
      body: "invite @chirpwatch to #brand",
      facts: [{ name: "sink", value: "brand" }],
    });
  });

  it("are named by their type when they have no sentence, and so is any event without its body", () => {
    expect(opsAlertMessage({ event: makeOpsAlert("watch.gap"), watches: [] }).title).toBe(
      "watch.gap",
    );
    for (const read of [tweetMessage, rosterMessage, scoreMessage]) {
      expect(read({ event: makeEvent("1", { body: {} }), watches: [] }, context).title).toBe(
        "tweet.created",
      );
    }
  });
});

describe("titles", () => {
  it("fall apart at their author, and do without", () => {
    const message = readTweet({
      is_reply: true,
      in_reply_to_tweet_id: "5",
      in_reply_to_username: "bob",
    });
    expect(titleParts(message)).toEqual({
      before: "",
      author: "ALICE (@alice)",
      after: " replied to @bob",
    });
    expect(titleWithoutAuthor(message)).toBe("Replied to @bob");
    expect(
      titleWithoutAuthor({ ...message, title: "@acme has a new follower: ALICE (@alice)" }),
    ).toBe("@acme has a new follower");
    const titled = (title: string) => titleWithoutAuthor({ ...message, title });
    expect(titled("A post by ALICE (@alice) was edited")).toBe("A post was edited");
    expect(titled("@acme began following ALICE (@alice)")).toBe(
      "@acme began following ALICE (@alice)",
    );
  });
});

describe("plain text", () => {
  it("shows how often a tweet was seen from ten times on", () => {
    const facts = (view_count: number) =>
      readTweet({ view_count }).facts.filter(({ name }) => name === "Views");
    expect([facts(9), facts(10)]).toEqual([[], [{ name: "Views", value: "10" }]]);
  });

  it("is the whole message but its permalink", () => {
    expect(plainMessage(readTweet({ likes_count: 3 }))).toBe(
      "ALICE (@alice) posted\nhello &amp; <bye>\nLikes 3 · Followers 10\nbrand, rivals",
    );
  });

  it("says above many how many, and marks samples", () => {
    const batch = (count: number, sample: boolean) =>
      headingOf(
        {
          sample,
          events: Array.from({ length: count }, () => ({ event: makeEvent("1"), watches: [] })),
          read: () => readTweet({}),
        },
        count,
      );
    expect([batch(1, false), batch(3, false), batch(1, true)]).toEqual([
      "",
      "3 posts",
      "Sample, nothing happened",
    ]);
  });
});
