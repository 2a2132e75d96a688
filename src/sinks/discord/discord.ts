/**
 * The Discord sink, and sending through a webhook. `discord-settings.ts` has its settings,
 * `discord-bot.ts` sends as a bot, `discord-render.ts` lays out, `discord-answer.ts` classifies
 * answers, and the outbox retries.
 */
import type { Json, JsonObject } from "../../model/json.ts";
import {
  isTooLarge,
  type MessageEdit,
  SinkError,
  type SealedMessage,
  type SendReceipt,
  type Sink,
  type SinkFooter,
} from "../../model/sink.ts";
import { doubtOfPrivateAddress, scopeOf } from "../kind/address-settings.ts";
import { isActionable, isActionableList } from "../kind/action-buttons.ts";
import { byStatus, inBody } from "../kind/meant-answer.ts";
import { discordDoubts } from "../kind/chat-doubts.ts";
import { tagRule } from "./discord-tags.ts";
import {
  classifyDiscordAnswer,
  classifyDiscordFailure,
  holdOf,
  type DiscordPost,
  inThreadOr,
  receiptOf,
} from "./discord-answer.ts";
import { createBot, DISCORD_API_URL, type DiscordEdit } from "./discord-bot.ts";
import { discordButtons } from "./discord-buttons.ts";
import { renderDiscordAnnouncement, renderDiscordDigest } from "./discord-digest.ts";
import { withDiscordFooter } from "./discord-footer.ts";
import { type DiscordBody, EMBEDS, renderDiscord } from "./discord-render.ts";
import {
  type DiscordMention,
  discordMentionsOf,
  type DiscordSettings,
  discordSettingsSchema,
} from "./discord-settings.ts";
import { mentionConditions, mentionOf, withCondition } from "../kind/mention-settings.ts";
import { postToWebhook } from "../kind/post-to-webhook.ts";
import type { SinkDeps, SinkType } from "../kind/sink-type.ts";

const TIMEOUT_MS = 15_000;

export const discordSink: SinkType<DiscordSettings> = {
  type: "discord",
  summary: "Posts to a Discord channel, through a webhook or as a bot.",
  schema: discordSettingsSchema,
  secrets: ["token", "webhook_url"],
  alternatives: ["token", "webhook_url"],
  example: 'type: discord\nwebhook_url: "${DISCORD_WEBHOOK_URL}"\n',
  chat: true,
  hasMoments: true,
  concurrency: 1,
  conditions: {
    written: ({ mention = [], color = [], forum }) => [
      ...mentionConditions(
        [mention]
          .flat()
          .map((one, index) => [Array.isArray(mention) ? ["mention", index] : ["mention"], one]),
      ),
      ...mentionConditions(color.map((one, index) => [["color", index], one])),
      ...mentionConditions(
        (forum?.tags ?? []).map((one, index) => [["forum", "tags", index], tagRule(one)]),
      ),
    ],
    withMatches: ({ mention, color, forum, ...settings }, matchesOf) => ({
      ...settings,
      mention: Array.isArray(mention)
        ? mention.map((one: DiscordMention) => withCondition(one, matchesOf))
        : mention && withCondition(mention as DiscordMention, matchesOf),
      color: color?.map((one) => withCondition(one, matchesOf)),
      forum: forum && { tags: forum.tags.map((one) => withCondition(tagRule(one), matchesOf)) },
    }),
  },
  answers: [
    inBody("2xx", "sent", { status: 200, body: '{"id":"1","channel_id":"5"}' }),
    ...byStatus("too_large", 413),
    inBody("400 about the length of a field, or code 40005", "too_large", {
      status: 400,
      body: '{"code":40005,"message":"too large"}',
    }),
    inBody("400: tried once more as text, then", "refused", {
      status: 400,
      body: '{"code":50035,"message":"Invalid Form Body"}',
    }),
    inBody("400 about the channel, like code 50008", "closed", {
      status: 400,
      body: '{"code":50008,"message":"no"}',
    }),
    ...byStatus("closed", 302, 401, 403, 404, 410),
    ...byStatus("wait", 429),
    ...byStatus("passing", 408, 500, 503),
  ],
  doubts: (name, settings) => [
    ...discordDoubts(settings),
    ...doubtOfPrivateAddress(name, { ...settings, url: discordAddress(settings) }, true),
  ],
  destinations: (settings) => [{ kind: "url", url: discordAddress(settings) }],
  describe: (settings) => `Discord channel ${settings.channel_id ?? ""}`,
  // The link contains the server's id, which is in no answer to a posted message, so it comes from
  // the settings.
  linkTo: ({ guild_id: guild }, ref, channel) =>
    guild === undefined || channel === undefined
      ? undefined
      : `https://discord.com/channels/${guild}/${channel}/${ref}`,
  create: async (name, settings, deps) => {
    if (settings.webhook_url !== undefined) {
      const sink = createDiscordSink(
        settings,
        createWebhookPost(settings.webhook_url, settings, deps),
      );
      // A webhook cannot reply to a message, but it can continue a forum post.
      return settings.forum === undefined ? sink : { ...sink, replies: "thread" };
    }
    const { post, crosspost, edit } = createBot(settings, {
      http: deps.http,
      clock: deps.clock,
      log: deps.log.child({ sink: name }),
    });
    const { update, follow_up: followUp = "unedited" } = settings;
    const send = (one: MessageEdit, signal: AbortSignal) => sendEdit(edit, settings, one, signal);
    const updates = update && { causes: new Set(update), followUp, send };
    return {
      ...createDiscordSink(settings, post),
      footer: { ...FOOTER, edit: send },
      replies: "message",
      ...(settings.crosspost ? { crosspost } : {}),
      ...(updates && { updates }),
    };
  },
};

const discordAddress = ({ webhook_url: webhookUrl, api_url: apiUrl }: DiscordSettings): string =>
  webhookUrl ?? apiUrl ?? DISCORD_API_URL;

const FOOTER: SinkFooter = {
  add: (body, footer) =>
    withDiscordFooter(body as unknown as DiscordBody, footer) as unknown as Json,
};

function createDiscordSink(settings: DiscordSettings, post: DiscordPost): Sink {
  const hasActions = settings.actions !== undefined;
  return {
    footer: FOOTER,
    render: (batch) => ({
      ...(renderDiscord(batch, settings) as unknown as JsonObject),
      ...(hasActions && isActionable(batch) ? { hasButtons: true } : {}),
    }),
    lists: {
      above: EMBEDS,
      render: (digest) =>
        renderDiscordDigest(digest, settings.forum, hasActions && isActionableList(digest)),
      announce: (nextAtMs) =>
        renderDiscordAnnouncement(nextAtMs, settings.forum) as unknown as Json,
    },
    ...(settings.mention === undefined
      ? {}
      : {
          mentions: discordMentionsOf(settings).map((one) =>
            mentionOf(one.role === undefined ? `<@${one.user}>` : `<@&${one.role}>`, one),
          ),
        }),
    send: (message, signal) => sendOrSimplify(post, settings, message, signal),
  };
}

/**
 * Returns the `allowed_mentions` of a message: only its configured roles and users. No other text
 * in the message notifies anybody.
 */
function allowedMentions({ mentions = [] }: DiscordBody): JsonObject {
  const idsOf = (isRole: boolean) =>
    mentions.filter((one) => one.startsWith("<@&") === isRole).map((one) => one.replace(/\D/g, ""));
  const [roles, users] = [idsOf(true), idsOf(false)];
  return {
    parse: [],
    ...(roles.length === 0 ? {} : { roles }),
    ...(users.length === 0 ? {} : { users }),
  };
}

async function sendEdit(
  edit: DiscordEdit,
  { actions }: DiscordSettings,
  message: MessageEdit,
  signal: AbortSignal,
): Promise<void> {
  const body = message.body as unknown as DiscordBody;
  const shared = {
    allowed_mentions: allowedMentions(body),
    ...discordButtons(body, actions, message),
  };
  try {
    await edit(
      message,
      { ...shared, content: body.content, embeds: body.embeds as unknown as Json },
      signal,
    );
  } catch (error) {
    if (!(error instanceof SinkError) || error.kind !== "message" || error.status !== 400)
      throw error;
    await edit(message, { ...shared, content: body.plain, embeds: [] }, signal);
  }
}

/**
 * Sends a message. If Discord refuses it, the message is sent again without embeds, so that the
 * alert is not lost. A list that is too large is not simplified, because the outbox splits it.
 */
async function sendOrSimplify(
  post: DiscordPost,
  { actions }: DiscordSettings,
  message: SealedMessage,
  signal: AbortSignal,
): Promise<SendReceipt> {
  const body = message.body as unknown as DiscordBody;
  const { content, embeds, plain, threadName, tags = [], isLocal = false, isReply = false } = body;
  const shared = {
    allowed_mentions: allowedMentions(body),
    ...discordButtons(body, actions, message),
  };
  const shown = {
    ...(content === "" ? {} : { content }),
    ...(embeds.length === 0 ? {} : { embeds: embeds as unknown as Json }),
  };
  try {
    return await post(
      { payload: { ...shared, ...shown }, threadName, tags, isLocal, isReply },
      message,
      signal,
    );
  } catch (error) {
    if (
      !(error instanceof SinkError) ||
      error.kind !== "message" ||
      (isTooLarge(error) && (message.alerts ?? 1) > 1)
    )
      throw error;
    return post(
      { payload: { ...shared, content: plain }, threadName, tags, isLocal, isReply },
      message,
      signal,
    );
  }
}

/**
 * Creates a function that posts through a webhook:
 * https://discord.com/developers/docs/resources/webhook#execute-webhook. A webhook has no nonce, so
 * a repeat is not recognised; with `wait`, the answer contains the message's id. A webhook cannot
 * start a thread, so outside a forum the parts of a digest are posted in the channel one after the
 * other.
 */
function createWebhookPost(
  webhookUrl: string,
  settings: DiscordSettings,
  { http, clock }: SinkDeps,
): DiscordPost {
  const appearance = {
    ...(settings.username === undefined ? {} : { username: settings.username }),
    ...(settings.avatar_url === undefined ? {} : { avatar_url: settings.avatar_url }),
  };
  const reach = scopeOf(webhookUrl, settings.allow_private, true);
  const postTo = async (thread: string | undefined, content: JsonObject, signal: AbortSignal) => {
    const url = new URL(webhookUrl);
    url.searchParams.set("wait", "true");
    if (thread !== undefined) url.searchParams.set("thread_id", thread);
    const answer = await postToWebhook(http, url.href, content, {
      timeoutMs: TIMEOUT_MS,
      signal,
      answerBody: "cut",
      reach,
    }).catch((error: unknown) => Promise.reject(classifyDiscordFailure(error)));
    const { status, body, headers } = answer;
    if (status >= 200 && status < 300)
      return { ...receiptOf(parsed(body)), ...holdOf((name) => headers[name]) };
    throw classifyDiscordAnswer(
      { ...answer, header: (name) => answer.headers[name] },
      false,
      clock.now(),
    );
  };
  return ({ payload, threadName, tags }, { threadRef }, signal) => {
    const content = { ...payload, ...appearance };
    const { forum } = settings;
    if (forum === undefined) return postTo(settings.thread, content, signal);
    const open = () =>
      postTo(undefined, { ...content, thread_name: threadName, applied_tags: tags }, signal);
    return threadRef === undefined
      ? open()
      : inThreadOr(() => postTo(threadRef, content, signal), open);
  };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
