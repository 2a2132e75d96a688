/** The Discord sink: a webhook, or a bot through discord.js's REST. Owns settings and sending; looks are discord-render.ts, answers discord-answer.ts, retries the outbox's. */
import { z } from "zod";
import type { EventBody } from "../model/event.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { SinkError, type Batch, type SealedMessage, type SendReceipt, type Sink } from "../model/sink.ts";
import { addIssue, apiUrl, webhookUrlProblem } from "./chat-settings.ts";
import { classifyDiscordAnswer, classifyDiscordFailure } from "./discord-answer.ts";
import { renderDiscord, type DiscordBody } from "./discord-render.ts";
import { postToWebhook } from "./post-to-webhook.ts";
import { sdkFetch } from "./sdk-fetch.ts";
import type { SinkDeps, SinkType } from "./sink-type.ts";

const API_URL = "https://discord.com/api";
const TIMEOUT_MS = 15_000;
/** https://discord.com/developers/docs/resources/message#create-message: nonce */
const NONCE_CHARS = 25;

const snowflake = z.string().regex(/^\d{1,21}$/, 'must be an id in quotes, like "1128374650192837465"');

const settingsSchema = z
  .strictObject({
    webhook_url: z.string().optional().describe("A channel's webhook, instead of `token` and `channel_id`."),
    token: z.string().min(1).optional().describe("Bot token. Needs `channel_id`."),
    channel_id: snowflake.optional().describe("Channel the bot posts in."),
    api_url: apiUrl("Base of Discord's API, ending in /api; http on loopback is allowed, for stand-ins."),
    username: z.string().min(1).max(80).optional().describe("Name a webhook posts under."),
    avatar_url: z
      .url({ protocol: /^https$/ })
      .optional()
      .describe("Picture a webhook posts under."),
    mention: z
      .strictObject({
        role: snowflake.describe("Id of the role to mention."),
        when: z.string().optional().describe("Condition on the event, in the words of `where`; always when absent."),
      })
      .optional()
      .describe("Mentions a role above the alert."),
    crosspost: z.boolean().default(false).describe("Publishes every message of an announcement channel to its followers. Bots only."),
    forum: z
      .strictObject({ tags: z.array(snowflake).max(5).default([]).describe("Ids of tags every post gets.") })
      .optional()
      .describe("The channel is a forum: every message opens a post."),
    thread: snowflake.optional().describe("Id of a thread of the channel to post in."),
    style: z.enum(["embed", "link"]).default("embed").describe("`embed` shows the alert; `link` leaves the preview to Discord."),
  })
  .superRefine((settings, context) => {
    const { webhook_url: webhookUrl, token, channel_id: channelId } = settings;
    if (webhookUrl !== undefined) {
      addIssue(context, webhookUrlProblem(webhookUrl, settings.api_url), "webhook_url");
      if (token !== undefined) addIssue(context, "has a webhook already: remove `token`, or use it instead of `webhook_url`", "token");
      if (settings.crosspost) addIssue(context, "only a bot can publish: use `token` and `channel_id`", "crosspost");
    } else if (token === undefined) addIssue(context, "needs `webhook_url`, or `token` and `channel_id`");
    else if (channelId === undefined) addIssue(context, "needs a `channel_id` beside `token`");
    if (settings.forum !== undefined && settings.thread !== undefined)
      addIssue(context, "opens posts of its own: remove `thread` or `forum`", "forum");
  });

type Settings = z.infer<typeof settingsSchema>;

/** `matches` is `mention.when` compiled. Without it nothing matches. */
export type DiscordSettings = Omit<Settings, "mention"> & {
  readonly mention?: (NonNullable<Settings["mention"]> & { readonly matches?: (body: EventBody) => boolean }) | undefined;
};

export const discordSink: SinkType<DiscordSettings> = {
  type: "discord",
  summary: "Posts to a Discord channel, through a webhook or as a bot.",
  schema: settingsSchema,
  secrets: ["token", "webhook_url"],
  example: 'type: discord\nwebhook_url: "${DISCORD_WEBHOOK_URL}"\n',
  chat: true,
  concurrency: 1,
  condition: {
    path: ["mention", "when"],
    textOf: ({ mention }) => mention?.when,
    withMatches: ({ mention, ...settings }, matches) => ({ ...settings, mention: mention && { ...mention, matches } }),
  },
  destinations: (settings) => [{ kind: "url", url: settings.webhook_url ?? settings.api_url ?? API_URL }],
  // The webhook's address is a secret: it is never shown.
  describe: (settings) => (settings.webhook_url === undefined ? `Discord channel ${settings.channel_id ?? ""}` : "a Discord webhook"),
  create: async (_name, settings, deps) => {
    if (settings.webhook_url === undefined) return createDiscordSink(settings, createBotPost(settings, deps));
    return createDiscordSink(settings, createWebhookPost(settings.webhook_url, settings, deps));
  },
};

/** One request. @throws SinkError, of kind `message` when Discord refuses this content. */
type Post = (payload: JsonObject, message: SealedMessage, signal: AbortSignal) => Promise<SendReceipt>;

function createDiscordSink(settings: DiscordSettings, post: Post): Sink {
  return {
    render: (batch) => renderDiscord(batch, mentionOf(settings, batch), settings.style) as unknown as Json,
    send: (message, signal) => sendOrSimplify(settings, post, message, signal),
    close: async () => {},
  };
}

function mentionOf({ mention }: DiscordSettings, batch: Batch): string {
  if (mention === undefined || batch.sample) return "";
  const isMeant = mention.when === undefined || batch.events.some(({ event }) => mention.matches?.(event.body) === true);
  return isMeant ? `<@&${mention.role}>` : "";
}

/** A refusal of the embeds costs the looks, not the alert. */
async function sendOrSimplify(settings: DiscordSettings, post: Post, message: SealedMessage, signal: AbortSignal): Promise<SendReceipt> {
  const { content, embeds, plain, threadName } = message.body as unknown as DiscordBody;
  const common = {
    // Nothing in any text pings; the one role of the settings may, where our own content names it.
    allowed_mentions: { parse: [], ...(settings.mention === undefined ? {} : { roles: [settings.mention.role] }) },
    ...(settings.forum === undefined ? {} : { threadName }),
  };
  try {
    return await post(
      { ...common, ...(content === "" ? {} : { content }), ...(embeds.length === 0 ? {} : { embeds: embeds as unknown as Json }) },
      message,
      signal,
    );
  } catch (error) {
    if (!(error instanceof SinkError) || error.kind !== "message") throw error;
    return post({ ...common, content: plain }, message, signal);
  }
}

/** https://discord.com/developers/docs/resources/webhook#execute-webhook; there is no nonce, `wait` at least tells the message's id. */
function createWebhookPost(webhookUrl: string, settings: DiscordSettings, { http }: SinkDeps): Post {
  const url = new URL(webhookUrl);
  url.searchParams.set("wait", "true");
  if (settings.thread !== undefined) url.searchParams.set("thread_id", settings.thread);
  const looks = {
    ...(settings.username === undefined ? {} : { username: settings.username }),
    ...(settings.avatar_url === undefined ? {} : { avatar_url: settings.avatar_url }),
  };
  return async ({ threadName, ...payload }, _message, signal) => {
    const forum = threadName === undefined ? {} : { thread_name: threadName, applied_tags: settings.forum?.tags ?? [] };
    const content = { ...payload, ...looks, ...forum };
    const answer = await postToWebhook(http, url.href, content, { timeoutMs: TIMEOUT_MS, signal }).catch((error: unknown) =>
      Promise.reject(classifyDiscordFailure(error)),
    );
    if (answer.status >= 200 && answer.status < 300) return receiptOf(parsed(answer.body));
    throw classifyDiscordAnswer({ ...answer, header: (name) => answer.headers[name] }, false);
  };
}

function createBotPost(settings: DiscordSettings, deps: SinkDeps): Post {
  const target = settings.thread ?? settings.channel_id ?? "";
  const rest = lazyRest(settings, deps);
  return async ({ threadName, ...payload }, message, signal) => {
    try {
      const client = await rest();
      if (threadName !== undefined) {
        const body = { name: threadName, applied_tags: settings.forum?.tags ?? [], message: payload };
        return receiptOf(await client.post(`/channels/${target}/threads`, { body, signal }));
      }
      const body = { ...payload, nonce: message.id.slice(0, NONCE_CHARS), enforce_nonce: true };
      const receipt = receiptOf(await client.post(`/channels/${target}/messages`, { body, signal }));
      if (settings.crosspost && receipt.ref !== undefined) await crosspost(client, target, receipt.ref, deps, signal);
      return receipt;
    } catch (error) {
      throw classifyDiscordFailure(error);
    }
  };
}

type Rest = Awaited<ReturnType<typeof createRest>>;

/** The message is out: a refusal to publish it is told to the operator, not repeated with a second message. */
async function crosspost(client: Rest, channelId: string, messageId: string, { log }: SinkDeps, signal: AbortSignal): Promise<void> {
  await client.post(`/channels/${channelId}/messages/${messageId}/crosspost`, { signal }).catch((error: unknown) => {
    log.warn("A Discord message was posted, but could not be published to followers", { error: classifyDiscordFailure(error).message });
  });
}

/** discord.js takes half a second to load: the first message pays it, not the start. */
function lazyRest(settings: DiscordSettings, deps: SinkDeps): () => Promise<Rest> {
  let loading: Promise<Rest> | undefined;
  return () => (loading ??= createRest(settings, deps));
}

/** No retries, no waiting, no sweeping: the outbox owns all of them. Answers are classified before the SDK sees them, so that a 401 does not make it drop the token. */
async function createRest(settings: DiscordSettings, { http }: SinkDeps) {
  const { REST } = await import("discord.js");
  const rest = new REST({
    api: (settings.api_url ?? API_URL).replace(/\/+$/, ""),
    retries: 0,
    timeout: TIMEOUT_MS,
    rejectOnRateLimit: () => true,
    hashSweepInterval: 0,
    handlerSweepInterval: 0,
    makeRequest: async (url, init) => {
      const answer = await sdkFetch(http, url, init, TIMEOUT_MS);
      if (answer.ok) return answer as never;
      throw classifyDiscordAnswer(
        { status: answer.status, body: await answer.text(), header: (name) => answer.headers.get(name) ?? undefined },
        true,
      );
    },
  });
  return rest.setToken(settings.token ?? "");
}

/** A forum post answers with its thread, the message inside. */
function receiptOf(answer: unknown): SendReceipt {
  const { id, message } = (answer ?? {}) as { readonly id?: unknown; readonly message?: { readonly id?: unknown } };
  const ref = message?.id ?? id;
  return typeof ref === "string" ? { ref } : {};
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
