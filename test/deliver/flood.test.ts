/**
 * The flood of the docs: 595 tweets in two minutes, through the real store and the real chat sinks,
 * to stand-ins that keep the vendors' limits.
 */
import { describe, expect, it } from "vitest";
import type { SinkFacts } from "../../src/route/route-event.ts";
import { discordSink } from "../../src/sinks/discord/discord.ts";
import { slackSink } from "../../src/sinks/slack/slack.ts";
import { tweetId } from "../sinks/chat-batch.ts";
import { type ChatMessage, linkedTweets } from "../support/chat-message.ts";
import { startDiscordStandIn } from "../support/discord-stand-in.ts";
import { makeEvent, makeTweet, makeUser } from "../support/make-event.ts";
import { startSlackStandIn } from "../support/slack-stand-in.ts";
import { useRealChat } from "./real-chat.ts";

const COUNT = 595;
const FLOOD_S = 120;
const MINUTE = 60_000;
const START_MS = Date.UTC(2026, 0, 15, 0, 12);

/** What chats have unless the file says otherwise. */
const facts: SinkFacts = {
  chat: true,
  throttle: {
    limit: 30,
    intervalMs: 10 * MINUTE,
    onExceed: "digest",
    digestIntervalMs: 2 * MINUTE,
  },
};
const chat = useRealChat(facts, START_MS);

function tweetEvent(index: number, nowMs: number) {
  const id = tweetId(index);
  const user = {
    ...makeUser("7", `writer_${index % 50}`),
    display_name: `Writer number ${index % 50}`,
  };
  const text = `Post ${index}: the outage of acme & others <again>, now in its third hour, and *nobody* says when it ends, see https://acme.example/status`;
  const tweet = { ...makeTweet(id, text), user, view_count: (index * 7_919) % 10_007 };
  return makeEvent(id, { body: { tweet }, detectedAtMs: nowMs, occurredAtMs: nowMs });
}

/** Commits events as polls find them, a few every second, and then gives the rest its time. */
async function flood(): Promise<void> {
  const { clock, commit } = chat();
  let made = 0;
  for (let second = 1; second <= FLOOD_S; second += 1) {
    const events = [];
    for (; made < Math.floor((COUNT * second) / FLOOD_S); made += 1)
      events.push(tweetEvent(made, clock.now()));
    await commit(events);
    await clock.advance(1_000);
  }
  await clock.advance(15 * MINUTE);
}

function report(name: string, messages: readonly ChatMessage[]) {
  const visible = new Set(linkedTweets(messages)).size;
  const top = messages.filter(({ thread }) => thread === "").length;
  const last = Math.max(...messages.map(({ atMs }) => atMs)) - START_MS;
  console.log(
    `${name}: ${visible} of ${COUNT} links visible, ${messages.length} messages (${top} in the channel), the last after ${last / 1_000} s`,
  );
  return visible;
}

describe("595 tweets in two minutes", () => {
  it("are all linked in Slack", async () => {
    const slack = chat().keep(await startSlackStandIn(chat().clock));
    await chat().startPump(slackSink, { token: "t", channel: "#brand", api_url: slack.apiUrl });
    await flood();
    expect(report("Slack bot", slack.messages)).toBe(COUNT);
  });

  it("are all linked in Slack by an incoming webhook", async () => {
    const slack = chat().keep(await startSlackStandIn(chat().clock));
    await chat().startPump(slackSink, { webhook_url: slack.webhookUrl, api_url: slack.apiUrl });
    await flood();
    expect(report("Slack webhook", slack.messages)).toBe(COUNT);
  });

  it("are all linked in Discord by a webhook", async () => {
    const discord = chat().keep(await startDiscordStandIn(chat().clock));
    await chat().startPump(discordSink, {
      webhook_url: discord.webhookUrl,
      crosspost: false,
      style: "embed",
    });
    await flood();
    expect(report("Discord webhook", discord.messages)).toBe(COUNT);
  });

  it("are all linked in Discord by a bot", async () => {
    const discord = chat().keep(await startDiscordStandIn(chat().clock));
    await chat().startPump(discordSink, {
      token: "t",
      channel_id: "55",
      api_url: discord.apiUrl,
      crosspost: false,
      style: "embed",
    });
    await flood();
    expect(report("Discord bot", discord.messages)).toBe(COUNT);
  });
});
