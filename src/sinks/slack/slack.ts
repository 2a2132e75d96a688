/**
 * The Slack sink posts through a bot's chat.postMessage, with Slack's own SDK, or through an
 * incoming webhook. `slack-settings.ts` has its settings, `slack-render.ts` lays out,
 * `slack-answer.ts` classifies answers, and the outbox retries.
 */
import { readRetryAfter } from "../../model/asked-wait.ts";
import type { NetworkScope } from "../../model/http.ts";
import type { Json } from "../../model/json.ts";
import type { Log } from "../../model/log.ts";
import {
  isTooLarge,
  type MessageEdit,
  SinkError,
  type SealedMessage,
  type SendReceipt,
  type Sink,
  type SinkFooter,
} from "../../model/sink.ts";
import { trimText } from "../../render/text/trim-text.ts";
import { doubtOfPrivateAddress } from "../kind/address-settings.ts";
import { isActionable, isActionableList } from "../kind/action-buttons.ts";
import { byStatus, inBody } from "../kind/meant-answer.ts";
import { slackDoubts } from "../kind/chat-doubts.ts";
import { mentionConditions, withCondition } from "../kind/mention-settings.ts";
import { postToWebhook } from "../kind/post-to-webhook.ts";
import { sdkFetch } from "../kind/sdk-fetch.ts";
import { threadsOf } from "../kind/thread-settings.ts";
import type { SinkDeps, SinkType } from "../kind/sink-type.ts";
import {
  classifySdkError,
  classifyStatus,
  rateLimited,
  readWebhookFailure,
} from "./slack-answer.ts";
import type { SlackBody } from "./slack-blocks.ts";
import { BUTTONS_CHARS, withSlackButtons } from "./slack-buttons.ts";
import { renderSlackAnnouncement, renderSlackDigest } from "./slack-digest.ts";
import { withSlackFooter } from "./slack-footer.ts";
import { slackMention } from "./slack-mention.ts";
import { MAX_CARDS, renderSlack } from "./slack-render.ts";
import {
  APPEARANCE,
  SLACK_API_URL,
  slackAddress,
  slackReach,
  type SlackSettings,
  slackSettingsSchema,
} from "./slack-settings.ts";
import { type SlackCall, updateSlackMessage } from "./slack-update.ts";

const TIMEOUT_MS = 15_000;
/**
 * The blocks contain all formatting, so these options keep Slack from adding formatting and link
 * previews of its own.
 */
const PLAIN_FORMAT = { mrkdwn: false, unfurl_links: false, unfurl_media: false };
/**
 * The length of `text` that Slack recommends. A text is cut to this length after Slack refused the
 * message as too long. https://docs.slack.dev/reference/methods/chat.postMessage#truncating
 */
const ADVISED_TEXT_CHARS = 4_000;

/**
 * Slack allows one message per second and channel, but its answers do not say when the next one is
 * allowed. https://docs.slack.dev/apis/web-api/rate-limits#posting-messages The interval is a
 * little longer than a second, because two messages may arrive closer together than they were sent.
 */
const CHANNEL_LIMIT = { count: 1, intervalMs: 1_020 } as const;

export const slackSink: SinkType<SlackSettings> = {
  type: "slack",
  summary: "Posts to a Slack channel, as a bot or through an incoming webhook.",
  schema: slackSettingsSchema,
  secrets: ["token", "webhook_url"],
  alternatives: ["token", "webhook_url"],
  example: 'type: slack\ntoken: "${SLACK_BOT_TOKEN}"\nchannel: "#brand"\n',
  chat: true,
  hasMoments: true,
  concurrency: 1,
  limits: () => [CHANNEL_LIMIT],
  conditions: {
    written: ({ mention = [] }) =>
      mentionConditions(mention.map((one, index) => [["mention", index], one])),
    withMatches: ({ mention = [], ...settings }, matchesOf) => ({
      ...settings,
      mention: mention.map((one) => withCondition(one, matchesOf)),
    }),
  },
  answers: [
    inBody('`"ok":true`, to a webhook `ok`', "sent", {
      status: 200,
      body: '{"ok":true,"ts":"1.1"}',
    }),
    inBody("a code about the channel, token or app, like `is_archived`", "closed", {
      status: 200,
      body: '{"ok":false,"error":"is_archived"}',
    }),
    inBody("a code about the size, like `msg_too_long`", "too_large", {
      status: 200,
      body: '{"ok":false,"error":"msg_too_long"}',
    }),
    inBody("a code about the layout: sent once more as plain text, then", "refused", {
      status: 200,
      body: '{"ok":false,"error":"invalid_blocks"}',
    }),
    inBody("`ratelimited`", "wait", { status: 200, body: '{"ok":false,"error":"ratelimited"}' }),
    inBody("any other code", "passing", {
      status: 200,
      body: '{"ok":false,"error":"internal_error"}',
    }),
    inBody('a webhook: 2xx with `"ok":false`', "closed", {
      status: 200,
      body: '{"ok":false,"error":"no_service"}',
      isWebhook: true,
    }),
    inBody("a webhook: 400", "refused", { status: 400, body: "invalid_payload", isWebhook: true }),
    inBody("a webhook: 413", "too_large", { status: 413, isWebhook: true }),
    inBody("a webhook: 302, 401, 403, 404, 410", "closed", {
      status: 404,
      body: "no_service",
      isWebhook: true,
    }),
    ...byStatus("wait", 429),
    ...byStatus("passing", 500, 503),
  ],
  doubts: (name, settings) => [
    ...slackDoubts(settings),
    ...doubtOfPrivateAddress(name, { ...settings, url: slackAddress(settings) }, true),
  ],
  destinations: (settings) => [{ kind: "url", url: slackAddress(settings) }],
  describe: ({ channel }) => channel ?? "Slack",
  linkTo: (settings, ts, channel = settings.channel) => slackPermalink(channel, ts),
  create: async (_name, settings, deps) => {
    const post =
      settings.webhook_url === undefined
        ? createBotPost(settings, deps)
        : createWebhookPost(settings.webhook_url, slackReach(settings), deps);
    return { ...createSlackSink(settings, post), ...updatesOf(settings, deps) };
  },
  async check(settings, deps) {
    if (settings.webhook_url !== undefined) return;
    const client = await createClient(settings, deps);
    await client.auth
      .test()
      .catch((error: unknown) =>
        Promise.reject(classifySdkError(error, settings.channel ?? "Slack")),
      );
  },
};

interface Content {
  readonly text: string;
  readonly blocks?: SlackBody["blocks"];
  /**
   * The message to reply to. A reply with `isQuiet` is shown in the thread only, even with
   * `broadcast: always`.
   */
  readonly thread?: { readonly ref: string; readonly isQuiet: boolean };
}

/**
 * Returns a link to a message, which Slack opens in the workspace of the signed-in user. It
 * requires the channel's id, so it is undefined if only the channel's name is known.
 */
const slackPermalink = (channel: string | undefined, ts: string): string | undefined =>
  /^[CG][A-Z0-9]{6,}$/.test(channel ?? "")
    ? `https://slack.com/archives/${channel}/p${ts.replace(".", "")}`
    : undefined;

/** Posts a message. @throws SinkError, with kind `message` if Slack refuses this content */
type Post = (content: Content, messageId: string, signal: AbortSignal) => Promise<SendReceipt>;

function createSlackSink(settings: SlackSettings, post: Post): Sink {
  const threads = threadsOf(settings, settings.channel ?? "");
  return {
    mentions: (settings.mention ?? []).map(slackMention),
    ...(threads === undefined ? {} : { threads }),
    // In Slack a reply always goes into a thread, and a thread contains no threads. A webhook
    // cannot reply, because the answer to its post does not contain the message's id.
    ...(settings.webhook_url === undefined ? { replies: "thread" } : {}),
    render: (batch) =>
      (settings.actions === undefined || !isActionable(batch)
        ? renderSlack(batch)
        : { ...renderSlack(batch, BUTTONS_CHARS), hasButtons: true }) as unknown as Json,
    lists: {
      above: MAX_CARDS,
      render: (digest) =>
        renderSlackDigest(
          digest,
          settings.actions === undefined || !isActionableList(digest) ? 0 : BUTTONS_CHARS,
        ),
      announce: (nextAtMs) => renderSlackAnnouncement(nextAtMs) as unknown as Json,
    },
    send: (message, signal) => sendOrSimplify(post, withButtons(settings, message), signal),
  };
}

const withButtons = <M extends SealedMessage | MessageEdit>(
  { actions }: SlackSettings,
  message: M,
): M => ({
  ...message,
  body: withSlackButtons(message.body as unknown as SlackBody, actions, message),
});

/**
 * Sends a message. If Slack refuses the blocks, the message is sent again as plain text, so that
 * the alert is not lost. A list that is too large is not simplified, because the outbox splits it.
 * If the first message of the thread was deleted, the message is posted in the channel.
 */
async function sendOrSimplify(
  post: Post,
  message: SealedMessage,
  signal: AbortSignal,
): Promise<SendReceipt> {
  const { text, blocks, isPart = false, isReply = false } = message.body as unknown as SlackBody;
  const { threadRef } = message;
  const thread =
    threadRef === undefined ? {} : { thread: { ref: threadRef, isQuiet: isPart || isReply } };
  try {
    return await post({ text, blocks, ...thread }, message.id, signal);
  } catch (error) {
    if (!(error instanceof SinkError)) throw error;
    if (NO_THREAD.has(String(error.fields["slackError"])) && threadRef !== undefined)
      return { ...(await post({ text, blocks }, message.id, signal)), missingThread: threadRef };
    if (error.kind !== "message" || (isTooLarge(error) && (message.alerts ?? 1) > 1)) throw error;
    return post(
      { text: isTooLarge(error) ? cutEscaped(text) : text, ...thread },
      message.id,
      signal,
    );
  }
}

/**
 * Error codes for a thread whose first message is gone.
 * https://docs.slack.dev/reference/methods/chat.postMessage#errors
 */
const NO_THREAD = new Set([
  "thread_not_found",
  "cannot_reply_to_message",
  "message_not_found",
  "invalid_thread_ts",
]);

/** Cuts a text that is already escaped, without leaving half an entity such as `&am`. */
const cutEscaped = (text: string): string =>
  trimText(text, ADVISED_TEXT_CHARS).replace(/&[a-z]{0,3}…$/, "…");

function createBotPost(settings: SlackSettings, deps: SinkDeps): Post {
  const channel = settings.channel ?? "";
  const appearance = Object.fromEntries(
    APPEARANCE.flatMap((key) => (settings[key] === undefined ? [] : [[key, settings[key]]])),
  );
  return async ({ text, blocks, thread }, messageId, signal) => {
    try {
      const client = await createClient(settings, deps, signal);
      const answer = await client.apiCall("chat.postMessage", {
        channel,
        text,
        ...PLAIN_FORMAT,
        ...(blocks === undefined ? {} : { blocks }),
        ...appearance,
        ...(thread === undefined ? {} : { thread_ts: thread.ref }),
        ...(thread !== undefined && !thread.isQuiet && settings.broadcast === "always"
          ? { reply_broadcast: true }
          : {}),
        // Slack does not drop duplicates. Programs that read the channel can recognise a repeat by
        // this key.
        metadata: { event_type: "chirpwatch_message", event_payload: { id: messageId } },
      });
      return receiptOf(answer as PostAnswer, thread?.ref);
    } catch (error) {
      throw classifySdkError(error, channel);
    }
  };
}

/**
 * Returns the receipt for a posted message. If the first message of the thread was deleted, Slack
 * ignores `thread_ts` and posts in the channel. The answer contains the posted message, whose
 * thread then is not the requested one.
 * https://docs.slack.dev/reference/methods/chat.postMessage#threads
 */
function receiptOf(answer: PostAnswer, threadRef: string | undefined): SendReceipt {
  const { ts, channel, message } = answer;
  if (typeof ts !== "string") return {};
  const isIgnored =
    threadRef !== undefined && message !== undefined && message.thread_ts !== threadRef;
  return {
    ref: ts,
    ...(typeof channel === "string" ? { channel } : {}),
    ...(isIgnored ? { missingThread: threadRef } : {}),
  };
}

interface PostAnswer {
  readonly ts?: unknown;
  readonly channel?: unknown;
  readonly message?: { readonly thread_ts?: unknown };
}

function updatesOf(settings: SlackSettings, deps: SinkDeps): Pick<Sink, "updates" | "footer"> {
  const { channel = "", update, follow_up: followUp = "unedited" } = settings;
  const add: SinkFooter["add"] = (body, footer) =>
    withSlackFooter(body as unknown as SlackBody, footer) as unknown as Json;
  // An incoming webhook cannot edit what it posted.
  if (settings.webhook_url !== undefined) return { footer: { add } };
  const call: SlackCall = async (method, fields, signal) => {
    const client = await createClient(settings, deps, signal);
    return client
      .apiCall(method, fields)
      .catch((error: unknown) => Promise.reject(classifySdkError(error, channel)));
  };
  const send = (edit: MessageEdit, signal: AbortSignal) =>
    updateSlackMessage(call, channel, withButtons(settings, edit), signal);
  return {
    footer: { add, edit: send },
    ...(update && { updates: { causes: new Set(update), followUp, send } }),
  };
}

/**
 * Creates a client for one request, so that the client can use that request's abort signal; this
 * takes only microseconds. The SDK's own retries and waits are turned off.
 */
async function createClient(
  settings: SlackSettings,
  { http, log, clock }: SinkDeps,
  signal?: AbortSignal,
) {
  const { WebClient } = await import("@slack/web-api");
  return new WebClient(settings.token, {
    slackApiUrl: settings.api_url ?? SLACK_API_URL,
    allowAbsoluteUrls: false,
    rejectRateLimitedCalls: true,
    retryConfig: { retries: 0 },
    timeout: TIMEOUT_MS,
    logger: quietLogger(log),
    fetch: async (url, init) => {
      const answer = await sdkFetch(http, String(url), init ?? {}, {
        timeoutMs: TIMEOUT_MS,
        signal,
        reach: slackReach(settings),
      });
      // The SDK only understands a Retry-After in whole seconds, so a 429 is classified before the
      // SDK sees it.
      if (answer.status === 429)
        throw rateLimited(
          readRetryAfter(answer.headers.get("retry-after") ?? undefined, clock.now()),
        );
      return answer;
    },
  });
}

/**
 * Creates a logger that only logs that the SDK warned. The SDK's errors already contain the reason
 * of a failure, and the bodies and tokens that it logs do not belong in a log.
 */
function quietLogger(log: Log) {
  const hush = () => {};
  const logWarning = () => log.debug("Slack's SDK logged a warning");
  return {
    debug: hush,
    info: hush,
    warn: logWarning,
    error: logWarning,
    setLevel: hush,
    getLevel: () => "error" as never,
    setName: hush,
  };
}

/**
 * Creates a function that posts through an incoming webhook. The answer contains no message id, so
 * nothing can reply to the message: the parts of a digest are posted in the channel one after the
 * other. https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks#handling_errors
 */
function createWebhookPost(url: string, reach: NetworkScope, { http, clock }: SinkDeps): Post {
  return async ({ thread: _thread, ...content }, _messageId, signal) => {
    const answer = await postToWebhook(
      http,
      url,
      { ...content, ...PLAIN_FORMAT },
      { timeoutMs: TIMEOUT_MS, signal, answerBody: "cut", reach },
    ).catch((error: unknown) => Promise.reject(classifySdkError(error, "the webhook")));
    if (answer.status >= 200 && answer.status < 300) {
      const failure = readWebhookFailure(answer.body, "the webhook's channel");
      if (failure !== undefined) throw failure;
      return {};
    }
    if (answer.status === 429)
      throw rateLimited(readRetryAfter(answer.headers["retry-after"], clock.now()));
    throw classifyStatus(answer.status, answer.body, "the webhook's channel");
  };
}
