/**
 * Classifies the answers of Telegram's Bot API to messages, and says what an operator can do about
 * failures.
 */
import { asksToWait, readRetryAfter } from "../../model/asked-wait.ts";
import { errorText } from "../../model/errors.ts";
import { HttpError, type HttpResponse } from "../../model/http.ts";
import { SinkError, type SendReceipt, type SinkFailure, TOO_LARGE } from "../../model/sink.ts";
import { addressRefusal } from "../kind/http-answer.ts";

const RIGHTS_HINT =
  "Allow the bot to post messages in this chat; in a channel it must be an administrator.";
const TOKEN_HINT = "Put the token that @BotFather gave you into the sink's `token`.";

/**
 * Descriptions of 400 answers that are caused by the chat, so that every message would be refused.
 */
const OF_THE_CHAT: readonly (readonly [pattern: RegExp, hint: string])[] = [
  [
    /chat not found|PEER_ID_INVALID|CHAT_ID_INVALID/i,
    "Check `chat_id`, and add the bot to the chat; in a private chat, send it /start first.",
  ],
  [
    /thread not found|TOPIC_(?:CLOSED|DELETED|ID_INVALID)/i,
    "The topic is gone or closed: reopen it, or change `topic`.",
  ],
  [
    /rights|CHAT_WRITE_FORBIDDEN|CHAT_ADMIN_REQUIRED|CHAT_RESTRICTED|CHAT_SEND_\w+_FORBIDDEN/i,
    RIGHTS_HINT,
  ],
  [
    /deactivated|USER_IS_BLOCKED|CHANNEL_PRIVATE/i,
    "The chat takes no more messages from the bot: set another chat in the sink.",
  ],
];

/**
 * Matches the description of a 400 answer to a text of more than 4,096 characters or with more than
 * a hundred entities: https://core.telegram.org/method/messages.sendMessage#possible-errors
 */
const OF_THE_SIZE = /message is too long|MESSAGE_TOO_LONG|ENTITIES_TOO_LONG/i;

const HINTS: Readonly<Record<number, string>> = {
  401: TOKEN_HINT,
  403: "The bot was blocked or removed from the chat: unblock it, or add it again.",
  404: TOKEN_HINT,
  413: "The message is too large for Telegram: shorten it with a `template`.",
};

interface ReadAnswer {
  readonly ok?: unknown;
  readonly description?: unknown;
  readonly result?: { readonly message_id?: unknown };
  readonly parameters?: { readonly retry_after?: unknown; readonly migrate_to_chat_id?: unknown };
}

/**
 * Returns the receipt from the answer to a posted message. @throws SinkError if the answer reports
 * a failure. https://core.telegram.org/bots/api#making-requests
 */
export function readTelegramAnswer(answer: HttpResponse, nowMs: number): SendReceipt {
  const read = parsed(answer.body);
  if (answer.status < 200 || answer.status > 299 || read.ok === false)
    throw classify(answer, read, nowMs);
  const id = read.result?.message_id;
  return typeof id === "number" ? { ref: String(id) } : {};
}

/** Classifies the failure of a request that got no answer. */
export function classifyTelegramFailure(error: unknown): SinkError {
  const hint = error instanceof HttpError ? error.hint : "";
  return (
    addressRefusal(error) ??
    new SinkError("transient", `Telegram could not be reached: ${errorText(error)}`, undefined, {
      hint,
      cause: error,
    })
  );
}

function classify(
  { status, headers }: HttpResponse,
  { description, parameters = {} }: ReadAnswer,
  nowMs: number,
): SinkError {
  const text = typeof description === "string" ? description.slice(0, 200) : "";
  const message = `Telegram answered ${status}${text === "" ? "" : `: ${text}`}`;
  if (status === 429) {
    const said = parameters.retry_after;
    const asked =
      typeof said === "number" || typeof said === "string" ? String(said) : headers["retry-after"];
    const afterMs = readRetryAfter(asked, nowMs);
    return new SinkError(
      "rate_limited",
      asksToWait("Telegram", afterMs),
      status,
      afterMs === undefined ? {} : { retry: { afterMs } },
    );
  }
  const moved = parameters.migrate_to_chat_id;
  if (typeof moved === "number" || typeof moved === "string")
    return new SinkError("destination", message, status, {
      hint: `The group has become a supergroup: set \`chat_id\` to "${moved}".`,
    });
  const [, hint] = (status === 400 && OF_THE_CHAT.find(([pattern]) => pattern.test(text))) || [];
  const usual =
    HINTS[status] ??
    (status >= 300 && status < 400 ? "Redirects are not followed: check `api_url`." : "");
  const kind = hint === undefined ? kindOf(status) : "destination";
  const isLarge =
    kind === "message" && (status === 413 || (status === 400 && OF_THE_SIZE.test(text)));
  return new SinkError(kind, message, status, {
    hint: hint ?? usual,
    ...(isLarge ? { fields: TOO_LARGE } : {}),
  });
}

function kindOf(status: number): SinkFailure {
  if ([401, 403, 404, 410].includes(status) || (status >= 300 && status < 400))
    return "destination";
  return status === 408 || status >= 500 || status < 300 ? "transient" : "message";
}

function parsed(body: string): ReadAnswer {
  try {
    return (JSON.parse(body) ?? {}) as ReadAnswer;
  } catch {
    return {};
  }
}
