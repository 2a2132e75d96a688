/**
 * Posts to Discord as a bot, through discord.js's REST client: messages with a nonce, threads below
 * a message, forum posts, crossposts. Each request is tried once; the outbox retries.
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
/**
 * The maximum length of a nonce.
 * https://discord.com/developers/docs/resources/message#create-message
 */
const NONCE_CHARS = 25;
/**
 * The code for a message that has a thread already.
 * https://discord.com/developers/docs/topics/opcodes-and-status-codes#json
 */
const THREAD_EXISTS = 160_004;
const ALREADY_PUBLISHED = 40_033;
/**
 * Error codes for messages that cannot be edited: the message is unknown, has another author, is a
 * system message, or is in an archived thread.
 */
const UNEDITABLE = new Set([10_008, 50_005, 50_021, 50_083]);

/** The settings of the sink that matter for a bot. */
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

/**
 * Edits a message. @throws SinkError, with kind `message` if the message cannot be edited at all,
 * or not to this content
 */
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

/** The value of the setting `thread` that makes every message start a thread of its own. */
export const NEW_THREAD = "new";

export function createBot(settings: BotSettings, deps: BotDeps): DiscordBot {
  const isStarting = settings.thread === NEW_THREAD;
  const fixed = isStarting ? undefined : settings.thread;
  const channel = fixed ?? settings.channel_id ?? "";
  // The longest wait that an answer to the current message asked for. A sink sends one message at a
  // time, so one variable is enough.
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
    // A reply goes to the channel or thread of the message that it answers. If that message was
    // deleted, Discord posts the reply as an ordinary message.
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
    // A thread cannot contain threads, so in a fixed thread every message is posted directly.
    if (threadRef === undefined || fixed !== undefined) return elsewhere();
    return inThreadOr(async () => {
      if (forum === undefined) await threads.start(threadRef, threadName, signal);
      return post(threadRef, payload, message, signal);
    }, elsewhere);
  };
  // Discord cannot publish a message that is in a thread.
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
 * Creates a function that returns the ids of a forum's tags. The forum's tags are read when a tag
 * is given by a name that is not known yet. If they cannot be read, the post is sent without the
 * tag.
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
      log.warn("a forum does not have these tags: posts are sent without them", {
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
 * Creates the function that starts threads in a channel. A thread has the id of the message that it
 * was started from. If the bot lacks the permission, no thread is tried again until the daemon
 * restarts.
 */
function createThreads(ask: Ask, channel: string, log: Log) {
  const started = new Set<string>();
  let refusal: SinkError | undefined;
  /** Starts a thread. @throws SinkError with kind `destination` if there can be no thread */
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
     * Starts a thread below a message that was just posted. Never throws, because a retry would
     * post the message again; if the thread cannot be started, the message stays without one.
     */
    async tryToStart(messageId: string, name: string, signal: AbortSignal): Promise<void> {
      if (refusal !== undefined) return;
      await start(messageId, name, signal).catch((error: unknown) => {
        const facts = { ref: messageId, error: errorText(error) };
        if (refusal === undefined) log.warn("a message on Discord got no thread", facts);
        else
          log.warn(
            "messages on Discord get no threads: the bot needs the permission Create Public Threads",
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
 * The clock counts as set back only if it lost more than this against the monotonic clock. A
 * smaller loss is normal, because the two clocks are not read at the same instant and the system
 * clock is adjusted in small steps.
 */
const STEP_BACK_MS = 1_000;

/**
 * Creates a function that makes requests. discord.js takes half a second to load, so it is loaded
 * with the first message and not at the start. Its client stores the ends of rate limits as times
 * of day. If the system clock is set back, these times can be hours away, so a new client is
 * created.
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
 * Creates a REST client without retries, waits and clean-up timers, because the outbox retries and
 * waits. An answer other than 2xx is classified before the SDK sees it, because the SDK would drop
 * the token after a 401.
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
    // The SDK counts its own limit of 50 requests per second in real time, which ignores the clock
    // port. The limit is not needed: a sink sends one message at a time, and Discord's answers say
    // when to pause.
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
