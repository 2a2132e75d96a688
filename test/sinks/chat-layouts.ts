/**
 * The sinks that lay alerts out for people: how each renders them, what people see, and which texts
 * would take effect if a stranger had written them.
 */
import fc from "fast-check";
import { expect } from "vitest";
import type { Batch } from "../../src/model/sink.ts";
import { APPRISE_MAX_CARDS, type AppriseBody, renderApprise } from "../../src/sinks/apprise.ts";
import {
  type ChatWebhookBody,
  MAX_TEXT_CARDS,
  renderChatWebhook,
} from "../../src/sinks/chat-webhook.ts";
import { type DiscordBody, EMBEDS, renderDiscord } from "../../src/sinks/discord/discord-render.ts";
import { type EmailBody, MAX_MAIL_CARDS, renderEmail } from "../../src/sinks/email/email-render.ts";
import type { SlackBody } from "../../src/sinks/slack/slack-blocks.ts";
import { MAX_CARDS, renderSlack } from "../../src/sinks/slack/slack-render.ts";
import { MAX_TEAMS_CARDS, renderTeams } from "../../src/sinks/teams/teams-render.ts";
import {
  MAX_TELEGRAM_CARDS,
  renderTelegram,
  type TelegramBody,
} from "../../src/sinks/telegram/telegram-render.ts";
import { LIVE_DISCORD, LIVE_SLACK } from "../render/hostile-text.ts";
import { appriseRefusal, LIVE_APPRISE } from "../support/apprise-stand-in.ts";
import {
  chatWebhookRefusal,
  LIVE_CHAT_WEBHOOK,
  OWN_CHAT_WEBHOOK,
} from "../support/chat-webhook-stand-in.ts";
import { discordRefusal } from "../support/discord-stand-in.ts";
import { emailRefusal, NO_LIVE_TEXT } from "../support/html-mail.ts";
import { slackRefusal } from "../support/slack-stand-in.ts";
import { LIVE_TEAMS, teamsRefusal, teamsText } from "../support/teams-stand-in.ts";
import { LIVE_TELEGRAM, telegramRefusal, telegramText } from "../support/telegram-stand-in.ts";

export interface ChatLayout {
  /** The name of the sink, as in "cards in …". */
  readonly name: string;
  /** The most alerts in one message. */
  readonly most: number;
  readonly render: (batch: Batch) => unknown;
  readonly refusal: (body: never) => string | undefined;
  /** Returns what people see, with links. */
  readonly seen: (body: never) => string;
  /** Matches text that would take effect, such as a mention. */
  readonly live: RegExp;
  /** The daemon's own marks and links. */
  readonly own: RegExp;
}

const LINKS = /https?:\/\/[^\s@"]*/g;

const MARKED: readonly ChatLayout[] = [
  {
    ...{
      name: "Slack",
      most: MAX_CARDS,
      render: renderSlack,
      live: LIVE_SLACK,
      own: /<!date\^\d+\^[^|]+\|[^>]+>/g,
    },
    refusal: ({ text, blocks }: SlackBody) =>
      slackRefusal({ text, blocks: blocks as never }) ?? slackRefusal({ text }),
    seen: (body: SlackBody) => JSON.stringify(body),
  },
  {
    ...{
      name: "Discord",
      most: EMBEDS,
      render: (batch) => renderDiscord(batch, { style: "embed" }),
      live: LIVE_DISCORD,
      own: /<t:\d+:[fDtR]>|<https:/g,
    },
    refusal: ({ content, embeds, plain }: DiscordBody) =>
      discordRefusal({ content, embeds }) ?? discordRefusal({ content: plain }),
    seen: (body: DiscordBody) => JSON.stringify(body).replaceAll("\\\\", "\\"),
  },
];

/** The layouts that consist of lines of text. */
export const TEXT_LAYOUTS: readonly ChatLayout[] = [
  {
    ...{
      name: "Telegram",
      most: MAX_TELEGRAM_CARDS,
      render: renderTelegram,
      refusal: telegramRefusal,
      live: LIVE_TELEGRAM,
      own: LINKS,
    },
    seen: (body: TelegramBody) => telegramText(body),
  },
  {
    name: "Teams",
    most: MAX_TEAMS_CARDS,
    render: renderTeams,
    refusal: teamsRefusal,
    seen: teamsText,
    live: LIVE_TEAMS,
    own: LINKS,
  },
  {
    ...{
      name: "Apprise",
      most: APPRISE_MAX_CARDS,
      render: renderApprise,
      refusal: appriseRefusal,
      live: LIVE_APPRISE,
      own: LINKS,
    },
    seen: ({ title, body }: AppriseBody) => `${title}\n${body}`,
  },
  {
    ...{
      name: "a chat's webhook",
      most: MAX_TEXT_CARDS,
      render: renderChatWebhook,
      refusal: chatWebhookRefusal,
    },
    ...{
      live: LIVE_CHAT_WEBHOOK,
      own: OWN_CHAT_WEBHOOK,
      seen: ({ text }: ChatWebhookBody) => text,
    },
  },
  {
    ...{
      name: "a mail",
      most: MAX_MAIL_CARDS,
      render: renderEmail,
      refusal: emailRefusal,
      live: NO_LIVE_TEXT,
      own: LINKS,
    },
    seen: ({ text }: EmailBody) => text,
  },
];

export const LAYOUTS: readonly ChatLayout[] = [...MARKED, ...TEXT_LAYOUTS];

/**
 * Expects a message to stay within every limit of its vendor, to be valid UTF-8, and to contain no
 * text of a stranger that takes effect.
 */
export function expectSafe({ refusal, seen, live, own }: ChatLayout, rendered: unknown): void {
  const body = rendered as never;
  expect(refusal(body)).toBeUndefined();
  expect(JSON.stringify(body)).not.toMatch(/\\ud[89a-f]/i);
  expect(seen(body).replaceAll(own, "")).not.toMatch(live);
}

/** Texts longer than any message, with characters that renderers split, escape or count wrongly. */
export const longestText = fc
  .constantFrom("👩‍👩‍👧", "שלום ", "&", "@a ", '"', "\\", "{{", "*_`[", "𝕏")
  .map((unit) => unit.repeat(25_000 / unit.length));
