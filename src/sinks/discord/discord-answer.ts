/**
 * Classifies Discord's answers to messages, and says what an operator can do about failures. Also
 * defines the function that posts a message, for `discord.ts` and `discord-bot.ts`.
 */
import { asksToWait, readRetryAfter } from "../../model/asked-wait.ts";
import { errorText } from "../../model/errors.ts";
import { HttpError } from "../../model/http.ts";
import type { JsonObject } from "../../model/json.ts";
import {
  SinkError,
  type SealedMessage,
  type SendReceipt,
  type SinkFailure,
  TOO_LARGE,
} from "../../model/sink.ts";
import { addressRefusal } from "../kind/http-answer.ts";

export interface DiscordAnswer {
  readonly status: number;
  readonly body: string;
  /** Returns a header by its name in lower case. */
  header(name: string): string | undefined;
}

/**
 * The error codes of 400 answers that are caused by the channel, so that every message would be
 * refused, with a hint for each.
 * https://discord.com/developers/docs/topics/opcodes-and-status-codes#json
 */
const CHANNEL_CODES: Readonly<Record<number, string>> = {
  220001: "This is a forum channel: set `forum: {}` on the sink, or `thread`.",
  220003: "This channel is not a forum: remove `forum` from the sink.",
  50008: "This channel takes no messages: set another channel in the sink.",
  50083: "The thread is archived: reopen it, or change `thread`.",
  160005: "The thread is locked: unlock it, or change `thread`.",
  160006:
    "Too many threads are active in this server: archive some, or remove `forum` and `thread: new`.",
  40067: "This forum requires a tag: set `forum: { tags: [...] }`.",
};

/**
 * Classifies an answer other than 2xx. Discord bans an address after 10,000 answers of 401, 403 or
 * 404 in 10 minutes, so a single one of them stops the sending to this destination.
 */
export function classifyDiscordAnswer(
  answer: DiscordAnswer,
  isBot: boolean,
  nowMs: number,
): SinkError {
  const { code, text, retryAfter, global } = readBody(answer.body);
  if (answer.status === 429)
    return rateLimited(answer, retryAfter ?? answer.header("retry-after"), {
      isGlobal: global,
      nowMs,
    });
  const isFrontEnd = answer.status === 403 && /^\s*</.test(answer.body);
  const hint =
    (isFrontEnd ? FRONT_END_HINT : undefined) ??
    CHANNEL_CODES[code] ??
    (answer.status < 400 ? REDIRECT_HINT : undefined) ??
    (isBot ? BOT_HINTS : WEBHOOK_HINTS)[answer.status] ??
    "";
  const kind = CHANNEL_CODES[code] === undefined ? kindOf(answer.status) : "destination";
  const said = isFrontEnd ? ": a page of its front end" : text === "" ? "" : `: ${text}`;
  return new SinkError(kind, `Discord answered ${answer.status}${said}`, answer.status, {
    hint,
    fields: {
      discordCode: code,
      ...(code === 0 ? {} : { refusal: String(code) }),
      ...(isOfSize(answer, code) ? TOO_LARGE : {}),
    },
  });
}

function kindOf(status: number): SinkFailure {
  if (
    status === 401 ||
    status === 403 ||
    status === 404 ||
    status === 410 ||
    (status >= 300 && status < 400)
  )
    return "destination";
  return status === 408 || status >= 500 || status < 300 ? "transient" : "message";
}

/**
 * Whether Discord refuses the message because it, or one of its fields, is too large:
 * https://discord.com/developers/docs/topics/opcodes-and-status-codes#json and
 * https://discord.com/developers/docs/reference#error-messages
 */
const isOfSize = ({ status, body }: DiscordAnswer, code: number): boolean =>
  status === 413 ||
  code === 40_005 ||
  (status === 400 && /"(?:BASE_TYPE_MAX_LENGTH|MAX_EMBED_SIZE_EXCEEDED)"/.test(body));

/**
 * The hint for a 403 with an HTML page. Discord's own refusals are JSON; a page comes from
 * Cloudflare, which blocks an address for some time.
 */
const FRONT_END_HINT =
  "Discord's front end refuses this machine, for every sink: wait, and check that nothing else here calls Discord too often; a proxy or VPN may share its address with others.";

const REDIRECT_HINT = "Redirects are not followed: check the address of the sink.";

const BOT_HINTS: Readonly<Record<number, string>> = {
  401: "Put a valid bot token into the sink's `token`.",
  403: "Invite the bot to the server and give it View Channel, Send Messages and Embed Links in this channel; in a thread also Send Messages in Threads.",
  404: "Check `channel_id`: the channel is gone, or the bot is not on its server.",
};

const WEBHOOK_GONE =
  "Make a new webhook (channel settings, Integrations) and put it into the sink's `webhook_url`.";
const WEBHOOK_HINTS: Readonly<Record<number, string>> = {
  401: WEBHOOK_GONE,
  403: WEBHOOK_GONE,
  404: WEBHOOK_GONE,
  410: WEBHOOK_GONE,
};

/**
 * Classifies a 429. The body has the exact wait; the header has it rounded up, and Cloudflare may
 * omit it. A global limit applies to every request of this bot.
 */
function rateLimited(
  answer: DiscordAnswer,
  asked: string | undefined,
  about: { readonly isGlobal: boolean; readonly nowMs: number },
): SinkError {
  const isGlobal = about.isGlobal || answer.header("x-ratelimit-global") !== undefined;
  const scope = answer.header("x-ratelimit-scope") ?? (isGlobal ? "global" : "user");
  return waitFor(readRetryAfter(asked, about.nowMs), scope, isGlobal);
}

function waitFor(afterMs: number | undefined, scope: string, isGlobal: boolean): SinkError {
  return new SinkError(
    "rate_limited",
    `${asksToWait("Discord", afterMs)} (${isGlobal ? "global" : scope})`,
    429,
    {
      ...(afterMs === undefined ? {} : { retry: { afterMs } }),
      fields: { scope, global: isGlobal },
    },
  );
}

/**
 * Classifies an error that the SDK throws without an answer: it refuses to send before the end of a
 * rate limit that it knows, or the request failed.
 */
export function classifyDiscordFailure(thrown: unknown): SinkError {
  if (thrown instanceof SinkError) return thrown;
  if (typeof thrown === "object" && thrown !== null && "timeToReset" in thrown) {
    const { timeToReset, global, scope } = thrown as {
      readonly timeToReset: number;
      readonly global?: boolean;
      readonly scope?: string;
    };
    return waitFor(Math.max(1, timeToReset), scope ?? "user", global === true);
  }
  const hint = thrown instanceof HttpError ? thrown.hint : "";
  return (
    addressRefusal(thrown) ??
    new SinkError("transient", `Discord could not be reached: ${errorText(thrown)}`, undefined, {
      hint,
      cause: thrown,
    })
  );
}

interface ReadBody {
  readonly code: number;
  readonly text: string;
  /** The wait in seconds, as text; undefined if the body has none. */
  readonly retryAfter: string | undefined;
  readonly global: boolean;
}

function readBody(body: string): ReadBody {
  try {
    const read = (JSON.parse(body) ?? {}) as Readonly<Record<string, unknown>>;
    const text = typeof read["message"] === "string" ? read["message"].slice(0, 200) : "";
    const asked = read["retry_after"];
    const retryAfter =
      typeof asked === "number" || typeof asked === "string" ? String(asked) : undefined;
    return { code: Number(read["code"] ?? 0), text, retryAfter, global: read["global"] === true };
  } catch {
    return { code: 0, text: "", retryAfter: undefined, global: false };
  }
}

/**
 * Returns how many ms to wait before the next message, if the limit allows no further message until
 * then. With this wait, the sink does not run into a refusal.
 * https://discord.com/developers/docs/topics/rate-limits#header-format
 */
export function holdOf(header: DiscordAnswer["header"]): { readonly holdMs?: number } {
  const [left, resetS] = [
    header("x-ratelimit-remaining"),
    Number(header("x-ratelimit-reset-after")),
  ];
  if (left === undefined || Number(left) > 0 || !Number.isFinite(resetS) || resetS <= 0) return {};
  return { holdMs: Math.min(Math.ceil(resetS * 1_000), MAX_HOLD_MS) };
}

/** The rate limits of messages end within seconds, so a longer wait belongs to some other limit. */
const MAX_HOLD_MS = 60_000;

/**
 * Limits the wait in the headers that the SDK reads, because the SDK sends nothing until that wait
 * has passed.
 */
export function boundHold(headers: Headers): void {
  if (Number(headers.get("x-ratelimit-reset-after")) * 1_000 > MAX_HOLD_MS)
    headers.set("x-ratelimit-reset-after", String(MAX_HOLD_MS / 1_000));
}

export interface DiscordContent {
  readonly payload: JsonObject;
  /** The name of the forum post or thread that the message opens. */
  readonly threadName: string;
  /** The tags of the forum post, by name or id. */
  readonly tags: readonly string[];
  /**
   * Whether the message is only for this channel and is not published to the channel's followers.
   */
  readonly isLocal: boolean;
  /** Whether the message replies to the one whose id is the message's `threadRef`. */
  readonly isReply: boolean;
}

/** Posts a message. @throws SinkError, with kind `message` if Discord refuses this content */
export type DiscordPost = (
  content: DiscordContent,
  message: SealedMessage,
  signal: AbortSignal,
) => Promise<SendReceipt>;

/**
 * Returns the receipt for a posted message. The answer to a new forum post is a thread, which
 * contains the message.
 */
export function receiptOf(answer: unknown): SendReceipt {
  const {
    id,
    channel_id: place,
    message,
  } = (answer ?? {}) as { readonly [key in "id" | "channel_id"]?: unknown } & {
    readonly message?: { readonly id?: unknown };
  };
  const ref = message?.id ?? id;
  // Messages in a thread have the thread's id as their channel.
  const channel = message === undefined ? place : id;
  return typeof ref === "string"
    ? { ref, ...(typeof channel === "string" ? { channel } : {}) }
    : {};
}

/**
 * Tries to post in a thread. If the thread is gone or closed, the message is posted elsewhere,
 * because the channel itself may still accept messages.
 */
export async function inThreadOr<T>(
  inThread: () => Promise<T>,
  elsewhere: () => Promise<T>,
): Promise<T> {
  try {
    return await inThread();
  } catch (error) {
    if (!(error instanceof SinkError) || error.kind !== "destination") throw error;
    return elsewhere();
  }
}
