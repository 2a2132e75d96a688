/**
 * A stand-in for posting to Slack, with the limits that its documentation names:
 * https://docs.slack.dev/apis/web-api/rate-limits (one message a second and channel),
 * /reference/methods/chat.postMessage, /reference/block-kit/blocks. Refuses what Slack refuses,
 * with Slack's error codes.
 */
import type { Clock } from "../../src/model/clock.ts";
import type { ChatMessage } from "./chat-message.ts";
import { type Answer, json, type Received, startLoopbackServer } from "./loopback-server.ts";

const TEXT_CHARS = 40_000;
const SECTION_CHARS = 3_000;
const BLOCKS = 50;
const BLOCKS_CHARS = 13_000;
const MESSAGE_EVERY_MS = 1_000;
/** The id of the channel, whatever its name is. */
const CHANNEL = "C0BRAND";

interface Block {
  readonly type: string;
  readonly text?: { readonly text: string };
  readonly elements?: readonly object[];
}

export interface SlackContent {
  readonly text?: string | undefined;
  readonly blocks?: readonly Block[] | undefined;
}

/** Returns Slack's error code, or undefined if it accepts the content. */
export function slackRefusal({ text = "", blocks = [] }: SlackContent): string | undefined {
  if (text === "" && blocks.length === 0) return "no_text";
  if (text.length > TEXT_CHARS) return "msg_too_long";
  if (blocks.length > BLOCKS) return "invalid_blocks";
  if (JSON.stringify(blocks).length > BLOCKS_CHARS) return "msg_blocks_too_long";
  const isBad = (string: string) => string === "" || string.length > SECTION_CHARS;
  return strings(blocks).some(isBad) ? "invalid_blocks" : undefined;
}

const strings = (value: unknown): readonly string[] =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
      ? Object.values(value).flatMap(strings)
      : [];

/** Answers a call of another method. Returns nothing if it does not know the method. */
export type OtherCalls = (method: string, request: Received) => object | Answer | undefined;

/**
 * Starts a stand-in that accepts `POST /api/chat.postMessage` of a bot, and `POST /hook` of an
 * incoming webhook. `onMessage` is called with each message before it is answered.
 */
export async function startSlackStandIn(
  clock: Clock,
  onMessage: (message: ChatMessage) => void = () => {},
  others: OtherCalls = () => undefined,
) {
  const messages: ChatMessage[] = [];
  const refusals: string[] = [];
  let lastMs = Number.NEGATIVE_INFINITY;
  const edits: { readonly id: string; readonly atMs: number }[] = [];
  let editsFail: "no" | "down" | "limited" = "no";
  let refusedEdits = 0;
  const update = (form: URLSearchParams): readonly [object, number] => {
    const [id, blocks] = [form.get("ts") ?? "", JSON.parse(form.get("blocks") ?? "[]")];
    const at = messages.findIndex((message) => message.id === id);
    const message = messages[at];
    if (editsFail !== "no") refusedEdits += 1;
    if (editsFail === "down") return [{ ok: false, error: "internal_error" }, 503];
    if (editsFail === "limited") return [{ ok: false, error: "ratelimited" }, 429];
    // The API needs the id of the channel, not its name.
    if (form.get("channel") !== CHANNEL) return [{ ok: false, error: "channel_not_found" }, 200];
    if (message === undefined) return [{ ok: false, error: "message_not_found" }, 200];
    const refusal = slackRefusal({ text: form.get("text") ?? "", blocks });
    if (refusal !== undefined) return [{ ok: false, error: refusal }, 200];
    edits.push({ id, atMs: clock.now() });
    messages[at] = { ...message, shown: JSON.stringify(blocks) };
    return [{ ok: true, ts: id, channel: CHANNEL }, 200];
  };
  const server = await startLoopbackServer((request, response) => {
    const other = others(request.url.split("/").at(-1) ?? "", request);
    if (typeof other === "function") return (other as Answer)(request, response);
    if (other !== undefined) return json(other)(request, response);
    if (request.url.endsWith("/auth.test")) return json({ ok: true })(request, response);
    if (request.url.endsWith("/chat.update"))
      return json(...update(new URLSearchParams(request.body)))(request, response);
    const isWebhook = request.url === "/hook";
    const form = isWebhook ? undefined : new URLSearchParams(request.body);
    const read =
      form === undefined
        ? JSON.parse(request.body)
        : { text: form.get("text"), blocks: JSON.parse(form.get("blocks") ?? "[]") };
    const thread = form?.get("thread_ts") ?? "";
    const refuse = (error: string, status: number, headers = {}) => {
      refusals.push(error);
      (isWebhook
        ? json(error, status, headers)
        : json({ ok: false, error }, status === 400 ? 200 : status, headers))(request, response);
    };
    const nowMs = clock.now();
    if (nowMs - lastMs < MESSAGE_EVERY_MS)
      return refuse("ratelimited", 429, { "retry-after": "1" });
    const refusal = slackRefusal(read);
    if (refusal !== undefined) return refuse(refusal, 400);
    if (thread !== "" && !messages.some(({ id }) => id === thread))
      return refuse("thread_not_found", 400);
    lastMs = nowMs;
    const id = `${Math.floor(nowMs / 1_000)}.${String(messages.length).padStart(6, "0")}`;
    const key = JSON.parse(form?.get("metadata") ?? "{}").event_payload?.id ?? "";
    const message = {
      id,
      key,
      thread,
      atMs: nowMs,
      shown: read.blocks?.length > 0 ? JSON.stringify(read.blocks) : read.text,
    };
    messages.push(message);
    onMessage(message);
    (isWebhook ? json("ok") : json({ ok: true, ts: id, channel: CHANNEL }))(request, response);
  });
  const remove = (id: string) =>
    void messages.splice(
      messages.findIndex((message) => message.id === id),
      1,
    );
  const failEdits = (how: typeof editsFail) => {
    editsFail = how;
  };
  return {
    messages,
    edits,
    remove,
    failEdits,
    refusedEdits: () => refusedEdits,
    refusals,
    apiUrl: `${server.url}/api/`,
    webhookUrl: `${server.url}/hook`,
    close: server.close,
  };
}
