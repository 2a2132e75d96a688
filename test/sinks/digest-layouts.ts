/**
 * The sinks that lay lists of alerts out for people: how each renders a digest, what its vendor
 * refuses, and the two ways in which people see it.
 */
import type { Digest, DigestPart } from "../../src/model/sink.ts";
import { type EmailBody, renderEmailDigest } from "../../src/sinks/email/email-render.ts";
import { type AppriseBody, renderAppriseDigest } from "../../src/sinks/apprise.ts";
import { renderDiscordDigest } from "../../src/sinks/discord/discord-digest.ts";
import type { DiscordBody } from "../../src/sinks/discord/discord-render.ts";
import type { SlackBody } from "../../src/sinks/slack/slack-blocks.ts";
import { renderSlackDigest } from "../../src/sinks/slack/slack-digest.ts";
import {
  renderTelegramDigest,
  type TelegramBody,
} from "../../src/sinks/telegram/telegram-render.ts";
import { renderTeamsDigest } from "../../src/sinks/teams/teams-render.ts";
import { type ChatWebhookBody, renderChatWebhookDigest } from "../../src/sinks/chat-webhook.ts";
import {
  chatWebhookRefusal,
  LIVE_CHAT_WEBHOOK,
  OWN_CHAT_WEBHOOK,
} from "../support/chat-webhook-stand-in.ts";
import { LIVE_DISCORD, LIVE_SLACK } from "../render/hostile-text.ts";
import { emailRefusal, htmlText, NO_LIVE_TEXT, OWN_HTML } from "../support/html-mail.ts";
import { discordRefusal } from "../support/discord-stand-in.ts";
import { slackRefusal } from "../support/slack-stand-in.ts";
import { LIVE_TELEGRAM, telegramRefusal, telegramText } from "../support/telegram-stand-in.ts";
import { LIVE_TEAMS, teamsRefusal, teamsText } from "../support/teams-stand-in.ts";
import { appriseRefusal, LIVE_APPRISE } from "../support/apprise-stand-in.ts";

export interface DigestLayout {
  readonly name: string;
  /** Renders all parts. */
  readonly render: (digest: Digest) => readonly DigestPart[];
  /** Renders each part only when it is asked for. */
  readonly renderEach: (digest: Digest) => Iterable<DigestPart>;
  /**
   * Returns why the vendor would refuse either way to show the part, or undefined if it accepts
   * both.
   */
  readonly refusal: (body: never) => string | undefined;
  /** Returns both ways to show the part. */
  readonly ways: (body: never) => readonly string[];
  readonly live: RegExp;
  /** Matches the daemon's own marks, which are meant to take effect. */
  readonly own: RegExp;
}

const LAYOUTS: readonly Omit<DigestLayout, "render">[] = [
  {
    name: "Slack",
    renderEach: (digest) => renderSlackDigest({ ...digest, mentions: ["<!here>"] }),
    refusal: ({ text, blocks }: SlackBody) =>
      slackRefusal({ text, blocks: blocks as never }) ?? slackRefusal({ text }),
    ways: ({ text, blocks }: SlackBody) => [text, JSON.stringify(blocks)],
    live: LIVE_SLACK,
    own: /<!here>|<!date\^\d+\^[^|]+\|[^>]+>/g,
  },
  {
    name: "Discord",
    renderEach: (digest) => renderDiscordDigest({ ...digest, mentions: ["<@&42>"] }),
    refusal: ({ content, embeds, plain, threadName }: DiscordBody) =>
      discordRefusal({ content, embeds, thread_name: threadName }) ??
      discordRefusal({ content: plain }),
    ways: ({ content, embeds, plain }: DiscordBody) => [
      plain,
      `${content}${JSON.stringify(embeds)}`,
    ],
    live: LIVE_DISCORD,
    own: /<@&42>|<https:/g,
  },
  {
    name: "Telegram",
    renderEach: renderTelegramDigest,
    refusal: (body: TelegramBody) => telegramRefusal(body),
    ways: (body: TelegramBody) => [telegramText(body)],
    live: LIVE_TELEGRAM,
    own: /https?:\/\/[^\s@"]*/g,
  },
  {
    name: "Teams",
    renderEach: renderTeamsDigest,
    refusal: teamsRefusal,
    ways: (body: object) => [teamsText(body)],
    live: LIVE_TEAMS,
    own: /https?:\/\/[^\s]*/g,
  },
  {
    name: "Apprise",
    renderEach: renderAppriseDigest,
    refusal: appriseRefusal,
    ways: ({ title, body }: AppriseBody) => [`${title}\n${body}`],
    live: LIVE_APPRISE,
    own: /https?:\/\/[^\s@]*/g,
  },
  {
    name: "a chat's webhook",
    renderEach: renderChatWebhookDigest,
    refusal: chatWebhookRefusal,
    ways: ({ text }: ChatWebhookBody) => [text],
    live: LIVE_CHAT_WEBHOOK,
    own: OWN_CHAT_WEBHOOK,
  },
  {
    name: "mails",
    renderEach: renderEmailDigest,
    refusal: emailRefusal,
    ways: ({ subject, text, html }: EmailBody) => [text, `${subject}\n${htmlText(html)}`],
    live: NO_LIVE_TEXT,
    own: OWN_HTML,
  },
];

export const DIGEST_LAYOUTS: readonly DigestLayout[] = LAYOUTS.map((layout) => ({
  ...layout,
  render: (digest) => [...layout.renderEach(digest)],
}));
