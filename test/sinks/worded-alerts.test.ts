/** What a template wrote and what an enrichment returned, in every sink for people: within its limits, and text like a stranger's. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createReader } from "../../src/app/daemon/create-reader.ts";
import type { Batch } from "../../src/model/sink.ts";
import type { Wording } from "../../src/model/template.ts";
import { APPRISE_MOST_CARDS, type AppriseBody, renderApprise } from "../../src/sinks/apprise.ts";
import { type ChatWebhookBody, MOST_TEXT_CARDS, renderChatWebhook } from "../../src/sinks/chat-webhook.ts";
import { type DiscordBody, EMBEDS, renderDiscord } from "../../src/sinks/discord/discord-render.ts";
import { type EmailBody, MOST_MAIL_CARDS, renderEmail } from "../../src/sinks/email/email-render.ts";
import type { SlackBody } from "../../src/sinks/slack/slack-blocks.ts";
import { MOST_CARDS, renderSlack } from "../../src/sinks/slack/slack-render.ts";
import { MOST_TEAMS_CARDS, renderTeams } from "../../src/sinks/teams/teams-render.ts";
import { MOST_TELEGRAM_CARDS, renderTelegram, type TelegramBody } from "../../src/sinks/telegram/telegram-render.ts";
import { hostileText, LIVE_DISCORD, LIVE_SLACK } from "../render/hostile-text.ts";
import { appriseRefusal, LIVE_APPRISE } from "../support/apprise-stand-in.ts";
import { chatWebhookRefusal, LIVE_CHAT_WEBHOOK, OWN_CHAT_WEBHOOK } from "../support/chat-webhook-stand-in.ts";
import { discordRefusal } from "../support/discord-stand-in.ts";
import { emailRefusal, NO_LIVE_TEXT } from "../support/html-mail.ts";
import { makeEvent, makeTweet } from "../support/make-event.ts";
import { manyRuns } from "../support/many-runs.ts";
import { slackRefusal } from "../support/slack-stand-in.ts";
import { LIVE_TEAMS, teamsRefusal, teamsText } from "../support/teams-stand-in.ts";
import { LIVE_TELEGRAM, telegramRefusal, telegramText } from "../support/telegram-stand-in.ts";
import { tweetId } from "./chat-batch.ts";

interface People {
  readonly name: string;
  readonly most: number;
  readonly render: (batch: Batch) => unknown;
  readonly refusal: (body: never) => string | undefined;
  readonly seen: (body: never) => string;
  readonly live: RegExp;
  /** The daemon's own marks and links. */
  readonly own: RegExp;
}

const LINKS = /https?:\/\/[^\s@"]*/g;

const ALL: readonly People[] = [
  {
    ...{ name: "Slack", most: MOST_CARDS, render: renderSlack, live: LIVE_SLACK, own: /<!date\^\d+\^[^|]+\|[^>]+>/g },
    refusal: ({ text, blocks }: SlackBody) => slackRefusal({ text, blocks: blocks as never }) ?? slackRefusal({ text }),
    seen: (body: SlackBody) => JSON.stringify(body),
  },
  {
    ...{
      name: "Discord",
      most: EMBEDS,
      render: (batch) => renderDiscord(batch, "embed"),
      live: LIVE_DISCORD,
      own: /<t:\d+:[fDtR]>|<https:/g,
    },
    refusal: ({ content, embeds, plain }: DiscordBody) => discordRefusal({ content, embeds }) ?? discordRefusal({ content: plain }),
    seen: (body: DiscordBody) => JSON.stringify(body).replaceAll("\\\\", "\\"),
  },
  {
    ...{ name: "Telegram", most: MOST_TELEGRAM_CARDS, render: renderTelegram, refusal: telegramRefusal, live: LIVE_TELEGRAM, own: LINKS },
    seen: (body: TelegramBody) => telegramText(body),
  },
  { name: "Teams", most: MOST_TEAMS_CARDS, render: renderTeams, refusal: teamsRefusal, seen: teamsText, live: LIVE_TEAMS, own: LINKS },
  {
    ...{ name: "Apprise", most: APPRISE_MOST_CARDS, render: renderApprise, refusal: appriseRefusal, live: LIVE_APPRISE, own: LINKS },
    seen: ({ title, body }: AppriseBody) => `${title}\n${body}`,
  },
  {
    ...{ name: "a chat's webhook", most: MOST_TEXT_CARDS, render: renderChatWebhook, refusal: chatWebhookRefusal },
    ...{ live: LIVE_CHAT_WEBHOOK, own: OWN_CHAT_WEBHOOK, seen: ({ text }: ChatWebhookBody) => text },
  },
  {
    ...{ name: "a mail", most: MOST_MAIL_CARDS, render: renderEmail, refusal: emailRefusal, live: NO_LIVE_TEXT, own: LINKS },
    seen: ({ text }: EmailBody) => text,
  },
];

interface Words {
  readonly wording: Wording;
  readonly enrichment: Readonly<Record<string, string | number | boolean>>;
}

/** As the daemon reads them. */
function batchOf(alerts: readonly Words[]): Batch {
  const events = alerts.map(({ wording, enrichment }, index) => {
    const id = tweetId(index);
    const body = { tweet: makeTweet(id), enrichment } as never;
    return { event: { ...makeEvent(id, { body }), watchType: "search" }, watches: ["brand"], wording };
  });
  return { events, sample: false, read: createReader("https://x.com") };
}

const long = fc.array(hostileText, { minLength: 20, maxLength: 60 }).map((parts) => parts.join(" "));
const longest = fc
  .constantFrom("👩‍👩‍👧", "שלום ", "&", "@a ", '"', "\\", "{{", "*_`[", "𝕏")
  .map((unit) => unit.repeat(25_000 / unit.length));
const text = fc.oneof(hostileText, long, longest);
const moment = fc.record({
  atMs: fc.integer({ min: 0, max: 4_102_444_800_000 }),
  style: fc.constantFrom("datetime", "date", "time", "relative"),
  text: fc.constant("1 Jan 2026, 10:00"),
} as const);
const pieces = fc.array(fc.oneof({ weight: 3, arbitrary: text }, { weight: 1, arbitrary: moment }), { maxLength: 8 });
const wording = fc.record({ title: pieces, body: pieces }, { requiredKeys: [] });
const enrichment = fc.dictionary(
  fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,49}$/),
  fc.oneof(
    hostileText,
    long.map((value) => value.slice(0, 5_000)),
    fc.double({ noNaN: true }),
    fc.boolean(),
  ),
  { maxKeys: 20 },
);
const alert = fc.record({ wording, enrichment });

describe.each(ALL)("words of templates and enrichments in $name", ({ most, render, refusal, seen, live, own }) => {
  it("are there, with the link to the tweet", () => {
    const enriched = { mood: "angry", summary: "s".repeat(80) };
    const whole = { wording: { title: ["Look"], body: ["A template wrote it"] }, enrichment: enriched };
    const shown = seen(render(batchOf([whole])) as never);
    for (const part of ["A template wrote it", "mood angry", `/status/${tweetId(0)}`]) expect(shown).toContain(part);
    // A long value stands below the text of the default message.
    expect(seen(render(batchOf([{ wording: { title: ["Look"] }, enrichment: enriched }])) as never)).toContain("s".repeat(80));
  });

  it("fault 53, fault 54: stay within every limit, are valid UTF-8 and mention nobody", () => {
    fc.assert(
      fc.property(fc.array(alert, { minLength: 1, maxLength: most }), (alerts) => {
        const body = render(batchOf(alerts)) as never;
        expect(refusal(body)).toBeUndefined();
        expect(JSON.stringify(body)).not.toMatch(/\\ud[89a-f]/i);
        expect(seen(body).replaceAll(own, "")).not.toMatch(live);
      }),
      { numRuns: manyRuns(8, 300) },
    );
  });
});
