/**
 * Tests the links to messages that a sink accepted. They are made from the sink's own message ids,
 * without a request.
 */
import { expect, it } from "vitest";
import { discordSink } from "../../src/sinks/discord/discord.ts";
import { slackSink } from "../../src/sinks/slack/slack.ts";
import { telegramSink } from "../../src/sinks/telegram/telegram.ts";

const slack = (settings: object, channel?: string) =>
  slackSink.linkTo?.(slackSink.schema.parse(settings) as never, "1782896652.000100", channel);
const discord = (settings: object, channel?: string) =>
  discordSink.linkTo?.(
    discordSink.schema.parse({ token: "t", channel_id: "55", ...settings }) as never,
    "900",
    channel,
  );
const telegram = (chat: string) =>
  telegramSink.linkTo?.(
    telegramSink.schema.parse({ token: "1:abc", chat_id: chat }) as never,
    "42",
  );

it("a Slack message is known by the id of its channel, which Slack names in its answer", () => {
  expect(slack({ token: "xoxb-1", channel: "C0123456789" })).toBe(
    "https://slack.com/archives/C0123456789/p1782896652000100",
  );
  expect(slack({ token: "xoxb-1", channel: "#brand" }, "C0123456789")).toBe(
    "https://slack.com/archives/C0123456789/p1782896652000100",
  );
  expect(slack({ token: "xoxb-1", channel: "#brand" })).toBeUndefined();
  expect(slack({ webhook_url: "https://hooks.slack.com/services/T0/B0/x" })).toBeUndefined();
});

it("a Discord message is known where the settings name the server, also in a thread", () => {
  expect(discord({ guild_id: "7" }, "55")).toBe("https://discord.com/channels/7/55/900");
  expect(discord({ guild_id: "7" }, "901")).toBe("https://discord.com/channels/7/901/900");
  expect(discord({ guild_id: "7" })).toBeUndefined();
  expect(discord({}, "55")).toBeUndefined();
});

it("a Telegram message is known in public chats and supergroups, not in private ones", () => {
  expect(telegram("@acme_news")).toBe("https://t.me/acme_news/42");
  expect(telegram("-1001234567890")).toBe("https://t.me/c/1234567890/42");
  expect(telegram("123456")).toBeUndefined();
});
