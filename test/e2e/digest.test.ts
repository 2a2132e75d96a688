/**
 * Tests digests of the built daemon, to a Slack that enforces its limits: what a crash in the
 * middle leaves.
 */
import { describe, expect, it } from "vitest";
import { createSystemClock } from "../../src/runtime/system-clock.ts";
import { type ChatMessage, linkedTweets } from "../support/chat-message.ts";
import { startSlackStandIn } from "../support/slack-stand-in.ts";
import { until } from "../support/until.ts";
import { cleanUpAfterwards, keep, noted, createFixture, sorted } from "./fixture.ts";

cleanUpAfterwards();

async function createSlackFixture(
  digestInterval: string,
  onMessage: (message: ChatMessage) => void = () => {},
) {
  const fixture = await createFixture();
  const slack = keep(await startSlackStandIn(createSystemClock(), onMessage));
  const throttle = { limit: 1, interval: "1h", digest_interval: digestInterval };
  const chat = {
    type: "slack",
    token: "xoxb-1",
    channel: "#brand",
    api_url: slack.apiUrl,
    throttle,
  };
  // One poll reads all posts, so they end up in one digest.
  fixture.configure({
    watches: { w: { type: "search", query: "acme", max_pages: 50 } },
    sinks: { chat },
    ops: { sink: "chat" },
  });
  return { fixture, slack };
}

describe.concurrent("a digest", () => {
  it("is whole and in order after SIGKILL between its messages", async () => {
    let kill = () => {};
    let isArmed = true;
    const { fixture, slack } = await createSlackFixture("2s", (message) => {
      // The answer to the second message in the thread never arrives.
      const below = slack.messages.filter(({ thread }) => thread !== "");
      if (!isArmed || message.thread === "" || below.length < 2) return;
      isArmed = false;
      kill();
    });
    const first = await fixture.startProcess();
    kill = () => first.kill("SIGKILL");
    await noted(first, "w");
    const ids = fixture.api.post("search:acme", 180, {
      text: `a post about acme ${"and more words ".repeat(12)}`,
    });
    await first.gone;
    await fixture.start();
    await until("every tweet", () => new Set(linkedTweets(slack.messages)).size === ids.length);
    const once = new Map(slack.messages.map((message) => [message.key, message]));
    expect(slack.messages.length - once.size).toBeLessThanOrEqual(1);
    expect(sorted(linkedTweets([...once.values()]))).toEqual(sorted(ids));
    const [alone, announcement, top, ...below] = [...once.values()];
    const digest = [...(top === undefined ? [] : [top]), ...below];
    expect(linkedTweets([alone as ChatMessage])).toHaveLength(1);
    expect(announcement?.shown).toContain("next summary at");
    expect(top?.shown).toContain("179 posts; sent together because there were many at once");
    expect(below.map(({ thread }) => thread)).toEqual(below.map(() => top?.id));
    const listed = linkedTweets(digest);
    expect(listed).toEqual(sorted(listed));
  });
});
