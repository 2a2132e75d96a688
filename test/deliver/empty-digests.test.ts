/**
 * Digests that are to go out also when nothing came, through the real store and the real Slack
 * sink.
 */
import { beforeAll, describe, expect, it } from "vitest";
import type { SinkFacts } from "../../src/route/route-event.ts";
import { slackSink } from "../../src/sinks/slack/slack.ts";
import { webhookSink } from "../../src/sinks/webhook/webhook.ts";
import { tweetId } from "../sinks/chat-batch.ts";
import { startHookReceiver } from "../support/hook-receiver.ts";
import { makeEvent, makeTweet } from "../support/make-event.ts";
import { startSlackStandIn } from "../support/slack-stand-in.ts";
import { useRealChat } from "./real-chat.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** At 08:12. */
const START_MS = Date.UTC(2026, 0, 15, 8, 12);
const facts: SinkFacts = {
  chat: true,
  digest: {
    nextAtMs: (atMs) => (Math.floor(atMs / HOUR) + 1) * HOUR,
    title: "Mentions",
    maxItems: 12,
    whenEmpty: "say",
  },
};
const chat = useRealChat(facts, START_MS);
// It takes a while of real time to load, in which the virtual clock would run on.
beforeAll(async () => void (await import("@slack/web-api")));

async function start() {
  const slack = chat().keep(await startSlackStandIn(chat().clock));
  const settings = { token: "t", channel: "#brand", api_url: slack.apiUrl };
  const headings = () => slack.messages.map(({ shown }) => /\*Mentions · (.*?)\*/.exec(shown)?.[1]);
  return { headings, startPump: () => chat().startPump(slackSink, settings) };
}
const post = (n: number) => {
  const [id, nowMs] = [tweetId(n), chat().clock.now()];
  return makeEvent(id, {
    body: { tweet: makeTweet(id) },
    detectedAtMs: nowMs,
    occurredAtMs: nowMs,
  });
};

describe("a digest with when_empty: say", () => {
  it("says at each of its times that nothing came, and its times join those of digests with alerts", async () => {
    const { headings, startPump } = await start();
    const { clock, commit } = chat();
    await startPump();
    await clock.advance(HOUR);
    await commit([post(1)]);
    await clock.advance(2 * HOUR);
    expect(headings()).toEqual([
      "15 Jan 08:12 to 09:00 UTC · nothing new",
      "15 Jan 09:00 to 10:00 UTC · 1 post",
      "15 Jan 10:00 to 11:00 UTC · nothing new",
    ]);
  });

  it("says so once over restarts, and once for all the times that were missed", async () => {
    const { headings, startPump } = await start();
    const { clock } = chat();
    const first = await startPump();
    await clock.advance(HOUR);
    await first.stop(0);
    const second = await startPump();
    await clock.advance(MINUTE);
    await second.stop(0);
    await clock.advance(5 * HOUR);
    const third = await startPump();
    await clock.advance(MINUTE);
    await third.stop(0);
    await startPump();
    await clock.advance(HOUR);
    expect(headings()).toEqual([
      "15 Jan 08:12 to 09:00 UTC · nothing new",
      "15 Jan 09:00 to 14:00 UTC · nothing new",
      "15 Jan 14:00 to 15:00 UTC · nothing new",
    ]);
  });
});

it("is a batch without events for a webhook, which also gets the title and period of the others", async () => {
  const { clock, commit, keep, startPump } = chat();
  const hook = keep(await startHookReceiver());
  await startPump(webhookSink, webhookSink.schema.parse({ url: hook.url, allow_private: true }));
  await clock.advance(HOUR);
  await commit([post(1), post(2)]);
  await clock.advance(HOUR);
  const bodies = hook.messages().map(({ body }) => JSON.parse(body));
  expect(bodies.map(({ digest, data }) => [digest, data.events.length])).toEqual([
    [{ title: "Mentions", from: "2026-01-15T08:12:00.000Z", to: "2026-01-15T09:00:00.000Z" }, 0],
    [{ title: "Mentions", from: "2026-01-15T09:00:00.000Z", to: "2026-01-15T10:00:00.000Z" }, 2],
  ]);
});
