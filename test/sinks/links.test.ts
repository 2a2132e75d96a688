/** Where people see a message that a sink took, by the sink's own id of it, as far as nobody must be asked. */
import { expect, it } from "vitest";
import { slackSink } from "../../src/sinks/slack/slack.ts";
import { telegramSink } from "../../src/sinks/telegram/telegram.ts";

const slack = (settings: object) => slackSink.linkTo?.(slackSink.schema.parse(settings) as never, "1782896652.000100");
const telegram = (chat: string) => telegramSink.linkTo?.(telegramSink.schema.parse({ token: "1:abc", chat_id: chat }) as never, "42");

it("a Slack message is known by the id of its channel, not by the name", () => {
  expect(slack({ token: "xoxb-1", channel: "C0123456789" })).toBe("https://slack.com/archives/C0123456789/p1782896652000100");
  expect(slack({ token: "xoxb-1", channel: "#brand" })).toBeUndefined();
  expect(slack({ webhook_url: "https://hooks.slack.com/services/T0/B0/x" })).toBeUndefined();
});

it("a Telegram message is known in public chats and supergroups, not in private ones", () => {
  expect(telegram("@acme_news")).toBe("https://t.me/acme_news/42");
  expect(telegram("-1001234567890")).toBe("https://t.me/c/1234567890/42");
  expect(telegram("123456")).toBeUndefined();
});
