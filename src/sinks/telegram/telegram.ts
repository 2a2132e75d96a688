/**
 * The Telegram sink: its settings, and sending as a bot. `telegram-render.ts` lays out,
 * `telegram-answer.ts` classifies answers, and the outbox retries.
 */
import { z } from "zod";
import type { Json } from "../../model/json.ts";
import type { SealedMessage, Sink } from "../../model/sink.ts";
import {
  allowPrivateChatSetting,
  doubtOfPrivateAddress,
  scopeOf,
} from "../kind/address-settings.ts";
import { byStatus, inBody } from "../kind/meant-answer.ts";
import { apiUrl } from "../kind/chat-settings.ts";
import { postToWebhook } from "../kind/post-to-webhook.ts";
import type { SinkDeps, SinkType } from "../kind/sink-type.ts";
import { classifyTelegramFailure, readTelegramAnswer } from "./telegram-answer.ts";
import { editTelegramMessage, withTelegramFooter } from "./telegram-footer.ts";
import {
  MAX_TELEGRAM_CARDS,
  renderTelegram,
  renderTelegramAnnouncement,
  renderTelegramDigest,
  type TelegramBody,
} from "./telegram-render.ts";

const API_URL = "https://api.telegram.org";
const TIMEOUT_MS = 15_000;

/**
 * The rate limit of every chat.
 * https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this
 */
const CHAT_LIMIT = { count: 1, intervalMs: 1_020 } as const;
/**
 * The additional rate limit of groups, from the same page. The ids of groups are negative; a chat
 * with a public name may be a group, too.
 */
const GROUP_LIMIT = { count: 20, intervalMs: 60_500 } as const;

const settingsSchema = z.strictObject({
  token: z
    .string()
    .regex(/^\d+:[\w-]+$/, "must be the token of a bot, like 123456:ABC-DEF1234ghIkl")
    .describe("The bot's token, from @BotFather."),
  chat_id: z
    .string()
    .regex(
      /^(?:-?\d{1,20}|@\w{4,32})$/,
      'must be the id of a chat, like "-1001234567890", or the name of a public one, like "@acme_news"',
    )
    .describe(
      'The chat: its id ("-1001234567890"), or the name of a public group or channel ("@acme_news").',
    ),
  topic: z.int().min(1).optional().describe("Id of a topic of the group to post in."),
  silent: z.boolean().default(false).describe("Messages arrive without a sound."),
  api_url: apiUrl(
    "Base of the Bot API, for a server of your own; http on loopback is allowed, for stand-ins.",
  ),
  allow_private: allowPrivateChatSetting(),
});

type TelegramSettings = z.infer<typeof settingsSchema>;

export const telegramSink: SinkType<TelegramSettings> = {
  type: "telegram",
  summary: "Posts to a Telegram chat, group, topic or channel, as a bot.",
  schema: settingsSchema,
  secrets: ["token"],
  example: 'type: telegram\ntoken: "${TELEGRAM_BOT_TOKEN}"\nchat_id: "-1001234567890"\n',
  chat: true,
  concurrency: 1,
  limits: ({ chat_id: chat }) => (/^\d/.test(chat) ? [CHAT_LIMIT] : [CHAT_LIMIT, GROUP_LIMIT]),
  answers: [
    inBody('`"ok":true`', "sent", { status: 200, body: '{"ok":true,"result":{"message_id":1}}' }),
    inBody('2xx with `"ok":false`', "passing", {
      status: 200,
      body: '{"ok":false,"description":"no"}',
    }),
    ...byStatus("too_large", 413),
    inBody("400 `message is too long`", "too_large", {
      status: 400,
      body: '{"ok":false,"description":"Bad Request: message is too long"}',
    }),
    inBody("400", "refused", {
      status: 400,
      body: '{"ok":false,"description":"Bad Request: can\'t parse entities"}',
    }),
    inBody("400 about the chat or topic", "closed", {
      status: 400,
      body: '{"ok":false,"description":"Bad Request: chat not found"}',
    }),
    ...byStatus("closed", 302, 401, 403, 404),
    ...byStatus("wait", 429),
    ...byStatus("passing", 500, 502),
  ],
  doubts: (name, settings) =>
    doubtOfPrivateAddress(name, { ...settings, url: settings.api_url ?? API_URL }, true),
  destinations: (settings) => [{ kind: "url", url: settings.api_url ?? API_URL }],
  describe: (settings) => `Telegram chat ${settings.chat_id}`,
  linkTo: ({ chat_id: chat }, ref) => telegramLink(chat, ref),
  create: async (_name, settings, deps) => createTelegramSink(settings, deps),
};

/**
 * Returns the link to a message in a public chat or a supergroup; undefined for a private chat.
 * https://core.telegram.org/api/links#message-links
 */
function telegramLink(chat: string, ref: string): string | undefined {
  if (chat.startsWith("@")) return `https://t.me/${chat.slice(1)}/${ref}`;
  return chat.startsWith("-100") ? `https://t.me/c/${chat.slice("-100".length)}/${ref}` : undefined;
}

/**
 * Creates the sink. The API has no idempotency key, so a message whose answer was lost is sent and
 * shown a second time.
 */
function createTelegramSink(settings: TelegramSettings, { http, clock }: SinkDeps): Sink {
  const base = (settings.api_url ?? API_URL).replace(/\/+$/, "");
  const reach = scopeOf(base, settings.allow_private, true);
  const urlOf = (method: string) => `${base}/bot${settings.token}/${method}`;
  const url = urlOf("sendMessage");
  const place = { chat: settings.chat_id, url: urlOf("editMessageText"), reach };
  return {
    replies: "message",
    footer: {
      add: (body, footer) => withTelegramFooter(body as TelegramBody, footer),
      edit: (edit, signal) =>
        editTelegramMessage({ http, clock }, { ...place, timeoutMs: TIMEOUT_MS }, edit, signal),
    },
    render: (batch): Json => renderTelegram(batch),
    lists: {
      above: MAX_TELEGRAM_CARDS,
      render: renderTelegramDigest,
      announce: renderTelegramAnnouncement,
    },
    async send(message, signal) {
      const how = { timeoutMs: TIMEOUT_MS, signal, answerBody: "cut", reach } as const;
      const answer = await postToWebhook(http, url, requestOf(settings, message), how).catch(
        (error: unknown) => {
          throw classifyTelegramFailure(error);
        },
      );
      return readTelegramAnswer(answer, clock.now());
    },
  };
}

/**
 * Returns the body of the request: https://core.telegram.org/bots/api#sendmessage. The further
 * messages of a digest reply to its first message, and follow-ups reply to the alert. If the
 * message to reply to was deleted, Telegram still sends the reply.
 */
function requestOf(
  { chat_id, topic, silent }: TelegramSettings,
  { body, threadRef }: SealedMessage,
): object {
  const { text, entities, picture } = body as TelegramBody;
  return {
    chat_id,
    ...(topic === undefined ? {} : { message_thread_id: topic }),
    text,
    entities,
    link_preview_options:
      picture === undefined ? { is_disabled: true } : { url: picture, prefer_large_media: true },
    ...(silent ? { disable_notification: true } : {}),
    ...(threadRef === undefined
      ? {}
      : { reply_parameters: { message_id: Number(threadRef), allow_sending_without_reply: true } }),
  };
}
