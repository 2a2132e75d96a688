/**
 * Posting to Discord as a bot, through discord.js's REST: messages with a nonce, threads below a
 * message, forum posts, crossposts. Each is one attempt.
 */
import { errorText } from "../../model/errors.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Log } from "../../model/log.ts";
import { type MessageEdit, type SealedMessage, type Sink, SinkError } from "../../model/sink.ts";
import {
  boundHold,
  classifyDiscordAnswer,
  classifyDiscordFailure,
  holdOf,
  type DiscordPost,
  inThreadOr,
  receiptOf,
} from "./discord-answer.ts";
import { isTagId } from "./discord-tags.ts";
import { scopeOf } from "../kind/address-settings.ts";
import { sdkFetch } from "../kind/sdk-fetch.ts";
import { uneditable } from "../kind/update-settings.ts";
import type { SinkDeps } from "../kind/sink-type.ts";

export const DISCORD_API_URL = "https://discord.com/api";
const TIMEOUT_MS = 15_000;
/** https://discord.com/developers/docs/resources/message#create-message: nonce */
const NONCE_CHARS = 25;
/** https://discord.com/developers/docs/topics/opcodes-and-status-codes#json */
const THREAD_EXISTS = 160_004;
const ALREADY_PUBLISHED = 40_033;
/** Unknown message, of another author, a system message, in an archived thread. */
const UNEDITABLE = new Set([10_008, 50_005, 50_021, 50_083]);

/** What it needs of the sink's settings. */
interface BotSettings {
  readonly token?: string | undefined;
  readonly channel_id?: string | undefined;
  readonly thread?: string | undefined;
  readonly api_url?: string | undefined;
  readonly allow_private?: boolean | undefined;
  readonly forum?: object | undefined;
  readonly crosspost: boolean;
}

type BotDeps = Pick<SinkDeps, "http" | "clock" | "log">;

/** @throws SinkError, of kind `message` where this message cannot be edited, or not to this. */
export type DiscordEdit = (
  message: Pick<MessageEdit, "ref" | "channel">,
  payload: JsonObject,
  signal: AbortSignal,
) => Promise<void>;

export interface DiscordBot {
  readonly post: DiscordPost;
  readonly crosspost: NonNullable<Sink["crosspost"]>;
  readonly edit: DiscordEdit;
}

/** As `thread`: every message starts one of its own. */
export const NEW_THREAD = "new";

export function createBot(settings: BotSettings, deps: BotDeps): DiscordBot {
  const isStarting = settings.thread === NEW_THREAD;
  const fixed = isStarting ? undefined : settings.thread;
  const channel = fixed ?? settings.channel_id ?? "";
  // Messages of one sink go out one at a time: the last answer is this message's.
  let hold: ReturnType<typeof holdOf> = {};
  const ask = createAsk(settings, deps, (next) => {
    if ((next.holdMs ?? 0) > (hold.holdMs ?? 0)) hold = next;
  });
  const threads = createThreads(ask, channel, deps.log);
  const tagIds = createTagIds(ask, channel, deps.log);
  const post = (to: string, payload: JsonObject, message: SealedMessage, signal: AbortSignal) =>
    ask(
      `/channels/${to}/messages`,
      { ...payload, nonce: message.id.slice(0, NONCE_CHARS), enforce_nonce: true },
      signal,
    ).then(receiptOf);
  const send: DiscordPost = ({ payload, threadName, tags, isReply }, message, signal) => {
    const { threadRef, threadChannel } = message;
    const { forum } = settings;
    // In the place of the message that it answers; where that was removed, it stands there by
    // itself.
    const answer = () => {
      const place = threadChannel ?? (forum === undefined ? channel : (threadRef ?? channel));
      const reference = { message_id: threadRef ?? "", fail_if_not_exists: false };
      return post(place, { ...payload, message_reference: reference }, message, signal);
    };
    const openPost = async () => {
      const applied = await tagIds(tags, signal);
      return receiptOf(
        await ask(
          `/channels/${channel}/threads`,
          { name: threadName, applied_tags: applied, message: payload },
          signal,
        ),
      );
    };
    const elsewhere = () =>
      forum === undefined ? post(channel, payload, message, signal) : openPost();
    if (isReply && threadRef !== undefined) return inThreadOr(answer, elsewhere);
    // A thread has no threads.
    if (threadRef === undefined || fixed !== undefined) return elsewhere();
    return inThreadOr(async () => {
      if (forum === undefined) await threads.start(threadRef, threadName, signal);
      return post(threadRef, payload, message, signal);
    }, elsewhere);
  };
  // What stands in a thread cannot be published.
  const isInThread = ({ threadRef }: SealedMessage) =>
    threadRef !== undefined || fixed !== undefined;
  return {
    async post(content, message, signal) {
      hold = {};
      const sent = await send(content, message, signal);
      if (
        isStarting &&
        !content.isLocal &&
        message.threadRef === undefined &&
        sent.ref !== undefined
      )
        await threads.tryToStart(sent.ref, content.threadName, signal);
      const receipt = { ...sent, ...hold };
      const isPublished =
        settings.crosspost && !content.isLocal && !isInThread(message) && receipt.ref !== undefined;
      return isPublished ? { ...receipt, crosspost: true } : receipt;
    },
    async edit({ ref, channel: place }, payload, signal) {
      await ask(`/channels/${place ?? channel}/messages/${ref}`, payload, signal, "patch").catch(
        (error: unknown) => {
          throw error instanceof SinkError && UNEDITABLE.has(Number(error.fields["discordCode"]))
            ? uneditable(error)
            : error;
        },
      );
    },
    async crosspost(ref, signal) {
      await ask(`/channels/${channel}/messages/${ref}/crosspost`, undefined, signal).catch(
        (error: unknown) => {
          if (!(error instanceof SinkError) || error.fields["discordCode"] !== ALREADY_PUBLISHED)
            throw error;
        },
      );
    },
  };
}

type Ask = (
  path: `/${string}`,
  body: JsonObject | undefined,
  signal: AbortSignal,
  method?: "post" | "patch" | "get",
) => Promise<unknown>;

/**
 * Ids of a forum's tags, which are read once where a tag goes by its name. A post is never held up
 * by a tag.
 */
function createTagIds(ask: Ask, channel: string, log: Log) {
  const known = new Map<string, string>();
  return async (tags: readonly string[], signal: AbortSignal): Promise<readonly string[]> => {
    const isUnread = tags.some((tag) => !isTagId(tag) && !known.has(tag));
    if (isUnread) {
      try {
        for (const { id, name } of readTags(
          await ask(`/channels/${channel}`, undefined, signal, "get"),
        ))
          known.set(name, id);
      } catch (error) {
        log.warn("the tags of a forum could not be read", { channel, error: errorText(error) });
      }
    }
    const missing = tags.filter((tag) => !isTagId(tag) && !known.has(tag));
    if (missing.length > 0)
      log.warn("a forum has no such tags: posts go out without them", {
        channel,
        tags: missing.join(", "),
      });
    return tags.flatMap((tag) => (isTagId(tag) ? [tag] : (known.get(tag) ?? [])));
  };
}

function readTags(answer: unknown): readonly { readonly id: string; readonly name: string }[] {
  const { available_tags: tags } = (answer ?? {}) as { readonly available_tags?: unknown };
  return (Array.isArray(tags) ? tags : []).flatMap(
    (one: { readonly id?: unknown; readonly name?: unknown }) =>
      typeof one.id === "string" && typeof one.name === "string"
        ? [{ id: one.id, name: one.name }]
        : [],
  );
}

/**
 * A thread has the id of the message it was started from. Without the permission none is tried
 * again before the next start.
 */
function createThreads(ask: Ask, channel: string, log: Log) {
  const started = new Set<string>();
  let refusal: SinkError | undefined;
  /** @throws SinkError of kind `destination` where there can be no thread. */
  async function start(messageId: string, name: string, signal: AbortSignal): Promise<void> {
    if (refusal !== undefined) throw refusal;
    if (started.has(messageId)) return;
    try {
      await ask(`/channels/${channel}/messages/${messageId}/threads`, { name }, signal);
    } catch (error) {
      if (!(error instanceof SinkError) || error.fields["discordCode"] !== THREAD_EXISTS)
        throw noThread(error);
    }
    started.clear();
    started.add(messageId);
  }
  return {
    start,
    /**
     * Below a message that is posted already, which another attempt would post again: one try,
     * without a thread it stays as it is.
     */
    async tryToStart(messageId: string, name: string, signal: AbortSignal): Promise<void> {
      if (refusal !== undefined) return;
      await start(messageId, name, signal).catch((error: unknown) => {
        const facts = { ref: messageId, error: errorText(error) };
        if (refusal === undefined) log.warn("a message on Discord has no thread", facts);
        else
          log.warn(
            "messages on Discord have no threads: the bot needs the permission Create Public Threads",
            facts,
          );
      });
    },
  };
  function noThread(error: unknown): unknown {
    if (!(error instanceof SinkError) || (error.kind !== "destination" && error.kind !== "message"))
      return error;
    const { message, status } = error;
    const destinationError = new SinkError("destination", message, status, { cause: error });
    if (status === 403) refusal = destinationError;
    return destinationError;
  }
}

/**
 * By so much less the time of day may gain on the monotonic clock: it is also read a moment apart,
 * and steered.
 */
const STEP_BACK_MS = 1_000;

/**
 * discord.js takes half a second to load: the first message pays it, not the start. It remembers
 * the ends of rate limits as times of day: after a clock that was set back they would lie hours
 * ahead. Then it is made anew.
 */
function createAsk(
  settings: BotSettings,
  deps: BotDeps,
  onPosted: (hold: ReturnType<typeof holdOf>) => void,
): Ask {
  const { clock } = deps;
  let loading: ReturnType<typeof createRest> | undefined;
  let lastAheadMs = Number.NEGATIVE_INFINITY;
  return async (path, body, signal, method = "post") => {
    const aheadMs = clock.now() - clock.monotonic();
    if (aheadMs < lastAheadMs - STEP_BACK_MS) loading = undefined;
    lastAheadMs = aheadMs;
    try {
      const rest = await (loading ??= createRest(settings, deps, onPosted));
      return await rest[method](path, { ...(body === undefined ? {} : { body }), signal });
    } catch (error) {
      throw classifyDiscordFailure(error);
    }
  };
}

/**
 * No retries, no waiting, no clean-up timers: the outbox owns all of them. Answers are classified
 * before the SDK sees them, so that a 401 does not make it drop the token.
 */
async function createRest(
  settings: BotSettings,
  { http, clock }: BotDeps,
  onPosted: (hold: ReturnType<typeof holdOf>) => void,
) {
  const reach = scopeOf(settings.api_url ?? DISCORD_API_URL, settings.allow_private, true);
  const { REST } = await import("discord.js");
  const rest = new REST({
    api: (settings.api_url ?? DISCORD_API_URL).replace(/\/+$/, ""),
    retries: 0,
    timeout: TIMEOUT_MS,
    rejectOnRateLimit: () => true,
    // Its own limit is 50 in a second of real time. A sink posts one message after the other, and
    // Discord itself says when it wants a pause.
    globalRequestsPerSecond: Number.POSITIVE_INFINITY,
    hashSweepInterval: 0,
    handlerSweepInterval: 0,
    makeRequest: async (url, init) => {
      const answer = await sdkFetch(http, url, init, { timeoutMs: TIMEOUT_MS, reach });
      const header = (name: string) => answer.headers.get(name) ?? undefined;
      if (!answer.ok)
        throw classifyDiscordAnswer(
          { status: answer.status, body: await answer.text(), header },
          true,
          clock.now(),
        );
      if (/\/channels\/\d+\/(messages|threads)$/.test(new URL(url).pathname))
        onPosted(holdOf(header));
      boundHold(answer.headers);
      return answer as never;
    },
  });
  return rest.setToken(settings.token ?? "");
}
