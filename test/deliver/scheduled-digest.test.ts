/** Digests with a schedule, through the real store and the real Slack sink. */
import { beforeAll, describe, expect, it } from "vitest";
import type { SinkFacts } from "../../src/route/route-event.ts";
import { slackSink } from "../../src/sinks/slack/slack.ts";
import { tweetId } from "../sinks/chat-batch.ts";
import { linkedTweets } from "../support/chat-message.ts";
import { makeEvent, makeTweet } from "../support/make-event.ts";
import { startSlackStandIn } from "../support/slack-stand-in.ts";
import { useRealChat } from "./real-chat.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** At 08:12. */
const START_MS = Date.UTC(2026, 0, 15, 8, 12);

const facts: SinkFacts = {
  chat: true,
  throttle: { limit: 1, intervalMs: 10 * MINUTE, onExceed: "digest", digestIntervalMs: 2 * MINUTE },
  digest: {
    nextAtMs: (atMs) => (Math.floor(atMs / HOUR) + 1) * HOUR,
    maxItems: 12,
    sortBy: { name: "likes_count", of: ({ body }) => body.tweet?.likes_count },
    whenEmpty: "nothing",
  },
};
const chat = useRealChat(facts, START_MS);
// It takes a while of real time to load, in which the virtual clock would run on.
beforeAll(async () => void (await import("@slack/web-api")));

const tweets = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => {
    const id = tweetId(from + i);
    const tweet = { ...makeTweet(id, `Post ${from + i}`), likes_count: from + i };
    return makeEvent(id, {
      body: { tweet },
      detectedAtMs: chat().clock.now(),
      occurredAtMs: chat().clock.now(),
    });
  });

async function start() {
  const slack = chat().keep(await startSlackStandIn(chat().clock));
  const settings = { token: "t", channel: "#brand", api_url: slack.apiUrl };
  return { slack, startPump: () => chat().startPump(slackSink, settings) };
}

describe("a digest on the hour", () => {
  it("holds what was found since the last one, the highest first, and counts what exceeds max_items", async () => {
    const { slack, startPump } = await start();
    const { clock, commit } = chat();
    await startPump();
    await commit(tweets(0, 10));
    await clock.advance(30 * MINUTE);
    await commit(tweets(10, 15));
    await clock.advance(17 * MINUTE);
    expect(slack.messages).toEqual([]);
    await clock.advance(2 * MINUTE);
    expect(slack.messages).toHaveLength(1);
    expect(slack.messages[0]?.atMs).toBeGreaterThanOrEqual(START_MS + 48 * MINUTE);
    expect(linkedTweets(slack.messages)).toEqual(
      Array.from({ length: 12 }, (_, i) => tweetId(14 - i)),
    );
    expect(slack.messages[0]?.shown).toContain("brand · 15 Jan 08:12 to 09:00 UTC · 15 posts");
    expect(slack.messages[0]?.shown).toContain(
      "Another 3 are not listed here: `chirpwatch events`",
    );
  });

  it("of more alerts than one digest takes is several, which say so and have each alert once", async () => {
    const { slack, startPump } = await start();
    const { clock, commit } = chat();
    await commit(tweets(0, 5_007));
    await startPump();
    await clock.advance(50 * MINUTE);
    await commit(tweets(5_007, 5_009));
    await clock.advance(HOUR);
    expect(slack.messages.map(({ shown }) => /15 Jan [^\n*]*/.exec(shown)?.[0])).toEqual([
      "15 Jan 08:12 to 09:00 UTC · 5,000 posts; 7 more are in the next",
      "15 Jan 08:12 to 09:00 UTC · 7 posts; continues the digest before",
      "15 Jan 09:00 to 10:00 UTC · 2 posts",
    ]);
    expect(linkedTweets(slack.messages)).toEqual([
      ...Array.from({ length: 12 }, (_, i) => tweetId(4_999 - i)),
      ...Array.from({ length: 7 }, (_, i) => tweetId(5_006 - i)),
      ...[5_008, 5_007].map(tweetId),
    ]);
  });

  it("is not sent when there is nothing to send, and is due again at the next hour", async () => {
    const { slack, startPump } = await start();
    const { clock, commit } = chat();
    await startPump();
    await commit(tweets(0, 2));
    await clock.advance(3 * HOUR);
    expect(slack.messages).toHaveLength(1);
    await commit(tweets(2, 4));
    await clock.advance(HOUR);
    expect(linkedTweets(slack.messages).slice(2)).toEqual([tweetId(3), tweetId(2)]);
  });

  it("is sent once over a restart, and at the start when it was due meanwhile", async () => {
    const { slack, startPump } = await start();
    const { clock, commit } = chat();
    const first = await startPump();
    await commit(tweets(0, 3));
    await clock.advance(MINUTE);
    await first.stop(0);
    await clock.advance(2 * HOUR);
    const second = await startPump();
    await clock.advance(MINUTE);
    expect(linkedTweets(slack.messages)).toHaveLength(3);
    await second.stop(0);
    await startPump();
    await clock.advance(2 * HOUR);
    expect(linkedTweets(slack.messages)).toHaveLength(3);
  });

  it("is about the time since the one before, however long nothing came or the daemon was down", async () => {
    const { slack, startPump } = await start();
    const { clock, commit } = chat();
    const first = await startPump();
    await commit(tweets(0, 2));
    await clock.advance(2 * HOUR);
    await commit(tweets(2, 3));
    await clock.advance(HOUR);
    await commit(tweets(3, 5));
    await clock.advance(10 * MINUTE);
    await first.stop(0);
    // It was due at 12:00.
    await clock.advance(5 * HOUR);
    await startPump();
    await clock.advance(MINUTE);
    await commit(tweets(5, 6));
    await clock.advance(HOUR);
    expect(slack.messages.map(({ shown }) => /\*brand · (.*?) UTC/.exec(shown)?.[1])).toEqual([
      "15 Jan 08:12 to 09:00",
      "15 Jan 09:00 to 11:00",
      "15 Jan 11:00 to 12:00",
      "15 Jan 12:00 to 17:00",
    ]);
  });

  it("shows the last text of a post that was edited meanwhile, and no alert on the edit beside it", async () => {
    const { slack, startPump } = await start();
    const { clock, commit } = chat();
    await startPump();
    const [post] = tweets(1, 2);
    if (post?.body.tweet === undefined) throw new Error("no post was made");
    await commit([post]);
    await clock.advance(MINUTE);
    const tweet = { ...post.body.tweet, full_text: "Second thoughts" };
    const body = { tweet, previous: { full_text: "Post 1" } };
    await commit([{ ...post, id: "edit", type: "tweet.edited", body, detectedAtMs: clock.now() }]);
    await clock.advance(HOUR);
    expect(slack.messages).toHaveLength(1);
    expect(linkedTweets(slack.messages)).toEqual([tweetId(1)]);
    expect(slack.messages[0]?.shown).toContain("(edited) Second thoughts");
    expect(slack.messages[0]?.shown).not.toContain("Post 1");
  });

  it("leaves what comes after its time to the next one, also when it is late itself", async () => {
    const { slack, startPump } = await start();
    const { clock, commit } = chat();
    const first = await startPump();
    await commit(tweets(0, 2));
    await first.stop(0);
    await clock.advance(HOUR);
    await commit(tweets(2, 4));
    await startPump();
    await clock.advance(MINUTE);
    expect(linkedTweets(slack.messages)).toEqual([tweetId(1), tweetId(0)]);
    await clock.advance(HOUR);
    expect(linkedTweets(slack.messages).slice(2)).toEqual([tweetId(3), tweetId(2)]);
  });
});
