/** The Discord sink: its settings, and sending through a webhook. A bot is discord-bot.ts, the layout discord-render.ts, answers discord-answer.ts, retries the outbox's. */
import { z } from "zod";
import type { Json, JsonObject } from "../../model/json.ts";
import { isTooLarge, type MessageEdit, SinkError, type SealedMessage, type SendReceipt, type Sink } from "../../model/sink.ts";
import { allowPrivateChatSetting, doubtOfPrivateAddress, scopeOf } from "../kind/address-settings.ts";
import { byStatus, inBody } from "../kind/meant-answer.ts";
import { discordDoubts } from "../kind/chat-doubts.ts";
import { addIssue, addressProblem, apiUrl } from "../kind/chat-settings.ts";
import { classifyDiscordAnswer, classifyDiscordFailure, holdOf, type DiscordPost, inThreadOr, receiptOf } from "./discord-answer.ts";
import { createBot, DISCORD_API_URL, type DiscordEdit, NEW_THREAD } from "./discord-bot.ts";
import { renderDiscordAnnouncement, renderDiscordDigest } from "./discord-digest.ts";
import { type DiscordBody, EMBEDS, renderDiscord } from "./discord-render.ts";
import { mentionConditions, mentionOf, mentionTiming, withCondition, type WrittenMention } from "../kind/mention-settings.ts";
import { postToWebhook } from "../kind/post-to-webhook.ts";
import { FOLLOW_UP_ALONE, followUpSchema, ONLY_BOTS_EDIT, updateSchema } from "../kind/update-settings.ts";
import type { SinkDeps, SinkType } from "../kind/sink-type.ts";

const TIMEOUT_MS = 15_000;

const snowflake = z.string().regex(/^\d{1,21}$/, 'must be an id in quotes, like "1128374650192837465"');

const settingsSchema = z
  .strictObject({
    webhook_url: z.string().optional().describe("A channel's webhook, instead of `token` and `channel_id`."),
    token: z.string().min(1).optional().describe("Bot token. Needs `channel_id`."),
    channel_id: snowflake.optional().describe("Channel the bot posts in."),
    guild_id: snowflake.optional().describe("Id of the server. With it, `explain` links to messages."),
    api_url: apiUrl("Base of Discord's API, ending in /api; http on loopback is allowed, for stand-ins."),
    allow_private: allowPrivateChatSetting(),
    username: z.string().min(1).max(80).optional().describe("Name a webhook posts under."),
    avatar_url: z
      .url({ protocol: /^https$/, error: "must be an address that starts with https://" })
      .optional()
      .describe("Picture a webhook posts under."),
    mention: z
      .strictObject({
        role: snowflake.describe("Id of the role to mention."),
        ...mentionTiming,
      })
      .optional()
      .describe("Mentions a role above the alert."),
    update: updateSchema,
    follow_up: followUpSchema,
    crosspost: z
      .boolean()
      .default(false)
      .describe(
        "Publishes messages of an announcement channel to its followers, as far as Discord's hourly allowance goes: the newest first. Bots only.",
      ),
    forum: z
      .strictObject({ tags: z.array(snowflake).max(5).default([]).describe("Ids of tags every post gets.") })
      .optional()
      .describe("The channel is a forum: every message opens a post."),
    thread: z
      .string()
      .regex(/^(\d{1,21}|new)$/, `must be the id of a thread in quotes, or ${NEW_THREAD}`)
      .optional()
      .describe(
        "Id of a thread of the channel to post in; or `new`: every message of a bot starts a thread of its own. This is tried once, right after the message is sent. If it fails, the message stays without a thread, and the log says why.",
      ),
    style: z.enum(["embed", "link"]).default("embed").describe("`embed` shows the alert; `link` leaves the preview to Discord."),
  })
  .superRefine((settings, context) => {
    const { webhook_url: webhookUrl, token, channel_id: channelId } = settings;
    if (webhookUrl !== undefined) {
      addIssue(context, addressProblem(webhookUrl), "webhook_url");
      if (token !== undefined) addIssue(context, "has a `webhook_url` beside it: remove one of the two", "token");
      if (settings.update !== undefined)
        addIssue(context, `${ONLY_BOTS_EDIT}: use \`token\` and \`channel_id\` instead of \`webhook_url\``, "update");
      if (settings.thread === NEW_THREAD) addIssue(context, "only a bot can start threads: use `token` and `channel_id`", "thread");
      if (settings.crosspost) addIssue(context, "only a bot can publish: use `token` and `channel_id`", "crosspost");
    } else if (token === undefined) addIssue(context, "needs `webhook_url`, or `token` and `channel_id`");
    else if (channelId === undefined) addIssue(context, "needs a `channel_id` beside `token`");
    if (settings.follow_up !== undefined && settings.update === undefined) addIssue(context, FOLLOW_UP_ALONE, "follow_up");
    if (settings.forum !== undefined && settings.thread !== undefined)
      addIssue(context, "opens posts of its own: remove `thread` or `forum`", "forum");
  });

type Settings = z.infer<typeof settingsSchema>;

export type DiscordSettings = Omit<Settings, "mention"> & {
  readonly mention?: (NonNullable<Settings["mention"]> & Pick<WrittenMention, "matches">) | undefined;
};

export const discordSink: SinkType<DiscordSettings> = {
  type: "discord",
  summary: "Posts to a Discord channel, through a webhook or as a bot.",
  schema: settingsSchema,
  secrets: ["token", "webhook_url"],
  alternatives: ["token", "webhook_url"],
  example: 'type: discord\nwebhook_url: "${DISCORD_WEBHOOK_URL}"\n',
  chat: true,
  hasMoments: true,
  concurrency: 1,
  conditions: {
    written: ({ mention }) => mentionConditions(mention === undefined ? [] : [[["mention"], mention]]),
    withMatches: ({ mention, ...settings }, matchesOf) => ({ ...settings, mention: mention && withCondition(mention, matchesOf) }),
  },
  answers: [
    inBody("2xx", "sent", { status: 200, body: '{"id":"1","channel_id":"5"}' }),
    ...byStatus("too_large", 413),
    inBody("400 about the length of a field, or code 40005", "too_large", { status: 400, body: '{"code":40005,"message":"too large"}' }),
    inBody("400: tried once more as text, then", "refused", { status: 400, body: '{"code":50035,"message":"Invalid Form Body"}' }),
    inBody("400 about the channel, like code 50008", "closed", { status: 400, body: '{"code":50008,"message":"no"}' }),
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
  // No answer to a posted message names the server.
  linkTo: ({ guild_id: guild }, ref, channel) =>
    guild === undefined || channel === undefined ? undefined : `https://discord.com/channels/${guild}/${channel}/${ref}`,
  create: async (name, settings, deps) => {
    if (settings.webhook_url !== undefined) {
      const sink = createDiscordSink(settings, createWebhookPost(settings.webhook_url, settings, deps));
      // A webhook answers no message, but it can go on in a forum post.
      return settings.forum === undefined ? sink : { ...sink, replies: "thread" };
    }
    const { post, crosspost, edit } = createBot(settings, { http: deps.http, clock: deps.clock, log: deps.log.child({ sink: name }) });
    const { update, follow_up: followUp = "unedited" } = settings;
    const updates = update && {
      causes: new Set(update),
      followUp,
      send: (one: MessageEdit, signal: AbortSignal) => sendEdit(edit, one, signal),
    };
    return {
      ...createDiscordSink(settings, post),
      replies: "message",
      ...(settings.crosspost ? { crosspost } : {}),
      ...(updates && { updates }),
    };
  },
};

const discordAddress = ({ webhook_url: webhookUrl, api_url: apiUrl }: DiscordSettings): string => webhookUrl ?? apiUrl ?? DISCORD_API_URL;

function createDiscordSink(settings: DiscordSettings, post: DiscordPost): Sink {
  return {
    render: (batch) => renderDiscord(batch, settings.style) as unknown as Json,
    lists: {
      above: EMBEDS,
      render: renderDiscordDigest,
      announce: (nextAtMs) => renderDiscordAnnouncement(nextAtMs) as unknown as Json,
    },
    ...(settings.mention === undefined ? {} : { mentions: [mentionOf(`<@&${settings.mention.role}>`, settings.mention)] }),
    send: (message, signal) => sendOrSimplify(post, message, signal),
  };
}

/** Nothing in any text pings, but the role that this very message calls. */
function allowedMentions({ mentions = [] }: DiscordBody): JsonObject {
  const roles = mentions.map((mention) => mention.replace(/\D/g, ""));
  return { parse: [], ...(roles.length === 0 ? {} : { roles }) };
}

async function sendEdit(edit: DiscordEdit, message: MessageEdit, signal: AbortSignal): Promise<void> {
  const body = message.body as unknown as DiscordBody;
  const allowed_mentions = allowedMentions(body);
  try {
    await edit(message, { allowed_mentions, content: body.content, embeds: body.embeds as unknown as Json }, signal);
  } catch (error) {
    if (!(error instanceof SinkError) || error.kind !== "message" || error.status !== 400) throw error;
    await edit(message, { allowed_mentions, content: body.plain, embeds: [] }, signal);
  }
}

/** A refusal of the embeds costs the layout, not the alert. A list that is too large goes out in halves. */
async function sendOrSimplify(post: DiscordPost, message: SealedMessage, signal: AbortSignal): Promise<SendReceipt> {
  const { content, embeds, plain, threadName, isLocal = false, isReply = false } = message.body as unknown as DiscordBody;
  const allowed_mentions = allowedMentions(message.body as unknown as DiscordBody);
  const shown = { ...(content === "" ? {} : { content }), ...(embeds.length === 0 ? {} : { embeds: embeds as unknown as Json }) };
  try {
    return await post({ payload: { allowed_mentions, ...shown }, threadName, isLocal, isReply }, message, signal);
  } catch (error) {
    if (!(error instanceof SinkError) || error.kind !== "message" || (isTooLarge(error) && (message.alerts ?? 1) > 1)) throw error;
    return post({ payload: { allowed_mentions, content: plain }, threadName, isLocal, isReply }, message, signal);
  }
}

/**
 * https://discord.com/developers/docs/resources/webhook#execute-webhook; there is no nonce, `wait` at least returns the message's id. A webhook
 * cannot start a thread: outside a forum the parts of a digest stand in the channel one after the other.
 */
function createWebhookPost(webhookUrl: string, settings: DiscordSettings, { http, clock }: SinkDeps): DiscordPost {
  const appearance = {
    ...(settings.username === undefined ? {} : { username: settings.username }),
    ...(settings.avatar_url === undefined ? {} : { avatar_url: settings.avatar_url }),
  };
  const reach = scopeOf(webhookUrl, settings.allow_private, true);
  const postTo = async (thread: string | undefined, content: JsonObject, signal: AbortSignal) => {
    const url = new URL(webhookUrl);
    url.searchParams.set("wait", "true");
    if (thread !== undefined) url.searchParams.set("thread_id", thread);
    const answer = await postToWebhook(http, url.href, content, { timeoutMs: TIMEOUT_MS, signal, answerBody: "cut", reach }).catch(
      (error: unknown) => Promise.reject(classifyDiscordFailure(error)),
    );
    const { status, body, headers } = answer;
    if (status >= 200 && status < 300) return { ...receiptOf(parsed(body)), ...holdOf((name) => headers[name]) };
    throw classifyDiscordAnswer({ ...answer, header: (name) => answer.headers[name] }, false, clock.now());
  };
  return ({ payload, threadName }, { threadRef }, signal) => {
    const content = { ...payload, ...appearance };
    const { forum } = settings;
    if (forum === undefined) return postTo(settings.thread, content, signal);
    const open = () => postTo(undefined, { ...content, thread_name: threadName, applied_tags: forum.tags }, signal);
    return threadRef === undefined ? open() : inThreadOr(() => postTo(threadRef, content, signal), open);
  };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
