/**
 * The chat webhook sink posts `{"text": …}`, which the incoming webhooks of Mattermost,
 * Rocket.Chat, Google Chat and others accept. Contains its settings, the layout of the text, and
 * the meaning of the chats' answers.
 */
import { z } from "zod";
import type { JsonObject } from "../model/json.ts";
import type { Batch, Digest, DigestPart } from "../model/sink.ts";
import { chatLines, chatText, chatUrl } from "../render/chat-text.ts";
import {
  announcementLine,
  fitCards,
  headingLine,
  type RichCard,
  type RichLine,
  richDigest,
  type Span,
} from "../render/rich-lines.ts";
import { createPoster } from "./kind/address-post.ts";
import { withFooterLine } from "./kind/footer-text.ts";
import { byStatus, inBody } from "./kind/meant-answer.ts";
import {
  addressSetting,
  allowPrivateSetting,
  doubtOfPrivateAddress,
  timeoutSetting,
} from "./kind/address-settings.ts";
import { doubtsOfOtherChat } from "./kind/chat-doubts.ts";
import type { Receiver } from "./kind/http-answer.ts";
import type { SinkType } from "./kind/sink-type.ts";

/**
 * The maximum length of a text in UTF-16 units, which all of these chats accept: Rocket.Chat takes
 * 5,000 characters by default, Google Chat 32,000 bytes, Mattermost 16,383 characters, and older
 * Mattermost servers 4,000.
 */
const TEXT_CHARS = 4_000;
/** A message shows at most this many alerts in full. If there are more, they are sent as a list. */
export const MAX_TEXT_CARDS = 3;
/**
 * Google Chat accepts 60 messages per minute and space, but its answers do not say how many are
 * left. https://developers.google.com/workspace/chat/limits
 */
const GOOGLE_LIMIT = { count: 1, intervalMs: 1_020 } as const;

const settingsSchema = z.strictObject({
  webhook_url: addressSetting(
    "The address of an incoming webhook of Mattermost, Rocket.Chat, Google Chat or another chat that takes a `text`.",
    "copy it from the chat again",
  ),
  timeout: timeoutSetting("30s"),
  allow_private: allowPrivateSetting(),
});

/** The body of a message, which is stored and sent unchanged in every attempt. */
export type ChatWebhookBody = { readonly text: string };

export const chatWebhookSink: SinkType<z.infer<typeof settingsSchema>> = {
  type: "chat_webhook",
  summary:
    "Posts text to an incoming webhook of Mattermost, Rocket.Chat, Google Chat and the like.",
  schema: settingsSchema,
  secrets: ["webhook_url"],
  example: 'type: chat_webhook\nwebhook_url: "${MATTERMOST_WEBHOOK_URL}"\n',
  chat: true,
  concurrency: 1,
  answers: [
    ...byStatus("sent", 200),
    inBody("2xx with an error in its body", "sent", {
      status: 200,
      body: '{"success":false,"error":"no"}',
    }),
    ...byStatus("too_large", 413),
    inBody("400 about the length of the message", "too_large", {
      status: 400,
      body: '{"error":"error-message-size-exceeded"}',
    }),
    ...byStatus("refused", 422),
    ...byStatus("closed", 302, 400, 401, 403, 404, 410, 501),
    ...byStatus("wait", 429),
    ...byStatus("passing", 408, 500, 503),
  ],
  limits: ({ webhook_url: url }) =>
    new URL(url).hostname === "chat.googleapis.com" ? [GOOGLE_LIMIT] : [],
  doubts: (name, { webhook_url: url, allow_private }) => [
    ...doubtOfPrivateAddress(name, { url, allow_private }),
    ...doubtsOfOtherChat("chat_webhook", "webhook_url", url),
  ],
  destinations: ({ webhook_url: url }) => [{ kind: "url", url }],
  create: async (_name, settings, deps) => {
    const post = createPoster({ ...settings, url: settings.webhook_url }, CHAT, deps);
    const headers = {
      "content-type": "application/json; charset=utf-8",
      "user-agent": "chirpwatch",
    };
    return {
      render: renderChatWebhook,
      footer: {
        add: (body, footer) => ({
          text: withFooterLine((body as ChatWebhookBody).text, chatText(footer), TEXT_CHARS),
        }),
      },
      lists: {
        above: MAX_TEXT_CARDS,
        render: renderChatWebhookDigest,
        announce: renderChatWebhookAnnouncement,
      },
      // There is no idempotency key, so a message whose answer was lost is sent and shown a second
      // time.
      async send({ body }, signal) {
        await post({ headers, body: JSON.stringify(body) }, signal);
        return {};
      },
    };
  },
};

const NEW_WEBHOOK = "make a new incoming webhook and put its address into `webhook_url`.";

const CHAT: Receiver = {
  name: "the chat",
  // Every chat accepts this form of body, so a 400 or 501 means that the webhook itself is wrong.
  // Mattermost and Rocket.Chat answer 400 for a webhook that does not exist.
  kinds: { 400: "destination", 501: "destination" },
  // Rocket.Chat and Google Chat answer 400 if a text is too long.
  isTooLarge: ({ status, body }) =>
    status === 400 && /error-message-size-exceeded|message (?:is )?too long/i.test(body),
  hints: {
    400: `The chat does not know this webhook, or the webhook takes no \`text\`: ${NEW_WEBHOOK}`,
    401: `The webhook is no longer valid: ${NEW_WEBHOOK}`,
    403: `The webhook may not post there: ask its owner to join the channel, or ${NEW_WEBHOOK}`,
    404: `The webhook, or its channel or space, is gone: ${NEW_WEBHOOK}`,
    410: `The webhook is gone: ${NEW_WEBHOOK}`,
    501: "Incoming webhooks are turned off on this server: ask an administrator to turn them on.",
  },
};

/** Renders a message with at most `MAX_TEXT_CARDS` alerts. */
export function renderChatWebhook(batch: Batch): ChatWebhookBody {
  const heading = headingLine(batch);
  const layOut = (cards: readonly RichCard[]): ChatWebhookBody => ({
    text: [
      ...(heading === undefined ? [] : [write([heading])]),
      ...cards.map(({ lines }) => write(lines)),
    ].join("\n\n"),
  });
  return layOut(fitCards(batch, (cards) => layOut(cards).text.length <= TEXT_CHARS));
}

const write = (lines: readonly RichLine[]): string => lines.map(writeLine).join("\n");

/**
 * Writes a line. A link is written as a bare URL behind its text. The lines of a quote begin with
 * `>`, which all these chats understand. A title gets no link to the author, because it would stand
 * next to the link to the post, which leads to the author as well.
 */
function writeLine({ kind, spans, isApart }: RichLine): string {
  const text = chatLines(
    spans.map((span) => (kind === "title" ? chatText(span.text) : writeSpan(span))).join(""),
  );
  if (isApart === true) return `\n${text}`;
  return kind === "quote" ? `> ${text.replaceAll("\n", "\n> ")}` : text;
}

const writeSpan = ({ text, url }: Span): string =>
  url === undefined || text === url ? chatText(text) : `${chatText(text)} ${chatUrl(url)}`;

export const renderChatWebhookDigest = (digest: Digest): Iterable<DigestPart> =>
  richDigest(
    digest,
    { costs: (line) => [writeLine(line).length + 1], budgets: [TEXT_CHARS] },
    linesBody,
  );

const linesBody = (lines: readonly RichLine[]): JsonObject => ({ text: write(lines) });

export const renderChatWebhookAnnouncement = (nextAtMs: number): JsonObject =>
  linesBody([announcementLine(nextAtMs)]);
