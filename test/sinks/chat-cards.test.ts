/** Alerts as cards in the chats that lay out lines: whole where there is room, and within every limit their vendors name, whatever strangers write. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Batch } from "../../src/model/sink.ts";
import { APPRISE_MOST_CARDS, type AppriseBody, renderApprise } from "../../src/sinks/apprise.ts";
import { type EmailBody, MOST_MAIL_CARDS, renderEmail } from "../../src/sinks/email/email-render.ts";
import { MOST_TEAMS_CARDS, renderTeams } from "../../src/sinks/teams/teams-render.ts";
import { MOST_TELEGRAM_CARDS, renderTelegram, type TelegramBody } from "../../src/sinks/telegram/telegram-render.ts";
import { type ChatWebhookBody, MOST_TEXT_CARDS, renderChatWebhook } from "../../src/sinks/chat-webhook.ts";
import { chatWebhookRefusal, LIVE_CHAT_WEBHOOK, OWN_CHAT_WEBHOOK } from "../support/chat-webhook-stand-in.ts";
import { hostileText } from "../render/hostile-text.ts";
import { makeUser } from "../support/make-event.ts";
import { appriseRefusal, LIVE_APPRISE } from "../support/apprise-stand-in.ts";
import { emailRefusal, NO_LIVE_TEXT } from "../support/html-mail.ts";
import { LIVE_TEAMS, teamsRefusal, teamsText } from "../support/teams-stand-in.ts";
import { LIVE_TELEGRAM, telegramRefusal, telegramText } from "../support/telegram-stand-in.ts";
import { manyRuns } from "../support/many-runs.ts";
import { tweetBatch, tweetId } from "./chat-batch.ts";

interface Cards {
  readonly name: string;
  readonly most: number;
  readonly render: (batch: Batch) => unknown;
  readonly refusal: (body: never) => string | undefined;
  /** What people see, with links. */
  readonly seen: (body: never) => string;
  /** What would take effect if it were a stranger's. */
  readonly live: RegExp;
  /** What is the daemon's own in it; links, unless said. */
  readonly own?: RegExp;
}

const LINKS = /https?:\/\/[^\s@"]*/g;

const ALL: readonly Cards[] = [
  {
    name: "Telegram",
    most: MOST_TELEGRAM_CARDS,
    render: renderTelegram,
    refusal: telegramRefusal,
    seen: (body: TelegramBody) => telegramText(body),
    live: LIVE_TELEGRAM,
  },
  { name: "Teams", most: MOST_TEAMS_CARDS, render: renderTeams, refusal: teamsRefusal, seen: teamsText, live: LIVE_TEAMS },
  {
    name: "Apprise",
    most: APPRISE_MOST_CARDS,
    render: renderApprise,
    refusal: appriseRefusal,
    seen: ({ title, body }: AppriseBody) => `${title}\n${body}`,
    live: LIVE_APPRISE,
  },
  {
    name: "a chat's webhook",
    most: MOST_TEXT_CARDS,
    render: renderChatWebhook,
    refusal: chatWebhookRefusal,
    seen: ({ text }: ChatWebhookBody) => text,
    live: LIVE_CHAT_WEBHOOK,
    own: OWN_CHAT_WEBHOOK,
  },
  {
    name: "a mail",
    most: MOST_MAIL_CARDS,
    render: renderEmail,
    refusal: emailRefusal,
    seen: ({ text }: EmailBody) => text,
    live: NO_LIVE_TEXT,
  },
];

const alice = { ...makeUser("7", "alice"), display_name: "Alice" };

describe.each(ALL)("cards in $name", ({ most, render, refusal, seen, live, own = LINKS }) => {
  const textOf = (batch: Batch): string => seen(render(batch) as never);

  it("show author, text, quote, counts, time, watch and permalink", () => {
    const text = textOf(
      tweetBatch([{ full_text: "We love acme", user: alice, likes_count: 12_345, is_reply: true, in_reply_to_username: "bob" }]),
    );
    for (const part of [
      "Alice",
      "https://x.com/alice",
      "We love acme",
      "Likes 12.3K",
      "2026-01-15 12:00 UTC",
      "brand",
      `/status/${tweetId(0)}`,
    ])
      expect(text).toContain(part);
  });

  it("mark a sample, and count where there are several", () => {
    expect(textOf(tweetBatch([{}], { sample: true }))).toContain("Sample, nothing happened");
    expect(textOf(tweetBatch([{}, {}]))).toContain("2 alerts");
  });

  it("keep every link of the longest", () => {
    const text = textOf(tweetBatch(Array.from({ length: most }, () => ({ full_text: "@a &<👩‍👩‍👧".repeat(3_000) }))));
    for (let index = 0; index < most; index += 1) expect(text).toContain(`/status/${tweetId(index)}`);
  });

  it("fault 53, fault 54: of any text stay within every limit, are valid UTF-8 and mention nobody", () => {
    const long = fc.array(hostileText, { minLength: 40, maxLength: 60 }).map((parts) => parts.join(" "));
    const longest = fc
      .constantFrom("👩‍👩‍👧", "שלום ", "&", "@a ", '"', "\\", "{{", "*_`[", "𝕏")
      .map((unit) => unit.repeat(25_000 / unit.length));
    const tweet = fc.record({
      full_text: fc.oneof(hostileText, long, longest),
      user: fc
        .record({ display_name: hostileText, username: hostileText, profile_image_url: hostileText })
        .map((changes) => ({ ...alice, ...changes })),
      in_reply_to_username: hostileText,
      is_reply: fc.boolean(),
      in_reply_to_tweet_id: hostileText,
      entities: fc.array(
        fc.record({ type: fc.constant("photo"), preview: hostileText.map((text) => `https://e.com/${text}`), link: hostileText }),
        { maxLength: 2 },
      ),
    });
    fc.assert(
      fc.property(fc.array(tweet, { minLength: 1, maxLength: most }), (tweets) => {
        const body = render(tweetBatch(tweets)) as never;
        expect(refusal(body)).toBeUndefined();
        expect(JSON.stringify(body)).not.toMatch(/\\ud[89a-f]/i);
        expect(seen(body).replaceAll(own, "")).not.toMatch(live);
      }),
      { numRuns: manyRuns(20, 500) },
    );
  });
});
