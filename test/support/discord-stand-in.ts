/**
 * A stand-in for posting to Discord, with the limits that its documentation names:
 * https://docs.discord.com/developers/resources/message (sizes, nonce, crosspost),
 * /topics/rate-limits. Per channel five messages of a bot in five seconds; per webhook five
 * messages in two seconds and thirty a minute; ten crossposts an hour, as observed.
 */
import type { Clock } from "../../src/model/clock.ts";
import type { ChatMessage } from "./chat-message.ts";
import { type Answer, json, type Received, startLoopbackServer } from "./loopback-server.ts";

const CONTENT_CHARS = 2_000;
const EMBEDS = 10;
const EMBED_CHARS = 6_000;
const DESCRIPTION_CHARS = 4_096;
const TITLE_CHARS = 256;
const NAME_CHARS = 100;
const WEBHOOK_WINDOW_MS = 2_000;

interface Embed {
  readonly title?: string;
  readonly description?: string;
  readonly author?: { readonly name: string };
  readonly footer?: { readonly text: string };
}

export interface DiscordContent {
  readonly content?: string | undefined;
  readonly embeds?: readonly Embed[] | undefined;
  readonly components?: readonly object[] | undefined;
  /** The name of the forum post that begins with the content. */
  readonly thread_name?: string | undefined;
}

/** Returns why Discord would refuse the content, or undefined if it accepts it. */
export function discordRefusal({
  content = "",
  embeds = [],
  thread_name: name,
}: DiscordContent): string | undefined {
  if (name !== undefined && (name.trim() === "" || name.length > NAME_CHARS))
    return "thread_name: Must be between 1 and 100 in length.";
  if (content === "" && embeds.length === 0) return "Cannot send an empty message";
  if (content.length > CONTENT_CHARS) return "content: Must be 2000 or fewer in length.";
  if (embeds.length > EMBEDS) return "embeds: Must be 10 or fewer in length.";
  if (embeds.some(({ title = "" }) => title.length > TITLE_CHARS))
    return "title: Must be 256 or fewer in length.";
  if (embeds.some(({ description = "" }) => description.length > DESCRIPTION_CHARS))
    return "description: Must be 4096 or fewer in length.";
  const chars = ({ title = "", description = "", author, footer }: Embed) =>
    title.length + description.length + (author?.name.length ?? 0) + (footer?.text.length ?? 0);
  return embeds.reduce((sum, embed) => sum + chars(embed), 0) > EMBED_CHARS
    ? "Embed size exceeds maximum size of 6000"
    : undefined;
}

const shownOf = ({ content = "", embeds = [], components = [] }: DiscordContent): string =>
  [content, ...[...embeds, ...components].map((part) => JSON.stringify(part))].join("\n");

/** Returns a rate limiter: `count` in `ms` by name. It returns the seconds to wait, or 0. */
function createBuckets(clock: Clock) {
  const taken = new Map<string, readonly number[]>();
  return (name: string, count: number, ms: number): number => {
    const nowMs = clock.now();
    const recent = (taken.get(name) ?? []).filter((atMs) => atMs > nowMs - ms);
    if (recent.length >= count) return ((recent[0] ?? nowMs) + ms - nowMs) / 1_000;
    taken.set(name, [...recent, nowMs]);
    return 0;
  };
}

/**
 * Answers a request that is not about a message. Returns nothing if it does not know the request.
 */
export type OtherRequests = (path: string, request: Received) => Answer | undefined;

/**
 * Starts a stand-in that accepts messages, threads and crossposts of a bot in channel 55, and
 * messages of the webhook `/api/webhooks/1/secret`.
 */
export async function startDiscordStandIn(clock: Clock, others: OtherRequests = () => undefined) {
  const messages: ChatMessage[] = [];
  const crossposts: { readonly id: string; readonly atMs: number }[] = [];
  const refusals: string[] = [];
  const threads = new Set<string>();
  const nonces = new Map<string, string>();
  const waitFor = createBuckets(clock);
  const refuse = (code: number, message: string, status: number): Answer => {
    refusals.push(message);
    return json({ code, message }, status);
  };
  const limited = (seconds: number): Answer => {
    refusals.push("You are being rate limited.");
    return json(
      { message: "You are being rate limited.", retry_after: seconds, global: false },
      429,
      { "x-ratelimit-scope": "user" },
    );
  };
  const post = (channel: string, body: string, windowMs: number): Answer => {
    const content = JSON.parse(body);
    const known = content.enforce_nonce ? nonces.get(content.nonce) : undefined;
    if (known !== undefined) return json({ id: known });
    if (channel !== "55" && !threads.has(channel)) return refuse(10_003, "Unknown Channel", 404);
    const perMinute = windowMs === WEBHOOK_WINDOW_MS ? waitFor("webhook", 30, 60_000) : 0;
    const seconds = Math.max(perMinute, waitFor(`messages ${channel}`, 5, windowMs));
    if (seconds > 0) return limited(seconds);
    const refusal = discordRefusal(content);
    if (refusal !== undefined) return refuse(50_035, refusal, 400);
    const id = String(900 + messages.length);
    if (content.nonce !== undefined) nonces.set(content.nonce, id);
    const shown = shownOf(content);
    messages.push({
      id,
      key: content.nonce ?? "",
      thread: channel === "55" ? "" : channel,
      atMs: clock.now(),
      shown,
    });
    return json({ id, channel_id: channel });
  };
  const edits: { readonly id: string; readonly atMs: number }[] = [];
  let editsFail: "no" | "down" | "limited" = "no";
  let refusedEdits = 0;
  const edit = (channel: string, id: string, body: string): Answer => {
    const content = JSON.parse(body);
    const at = messages.findIndex((message) => message.id === id);
    const message = messages[at];
    if (editsFail !== "no") refusedEdits += 1;
    if (editsFail === "down") return refuse(0, "Internal Server Error", 500);
    if (editsFail === "limited") return refuse(0, "You are being rate limited.", 429);
    if (channel !== "55" && !threads.has(channel)) return refuse(10_003, "Unknown Channel", 404);
    if (message === undefined) return refuse(10_008, "Unknown Message", 404);
    const refusal = discordRefusal(content);
    if (refusal !== undefined) return refuse(50_035, refusal, 400);
    edits.push({ id, atMs: clock.now() });
    messages[at] = { ...message, shown: shownOf(content) };
    return json({ id, channel_id: channel });
  };
  const startThread = (id: string): Answer => {
    if (!messages.some((message) => message.id === id))
      return refuse(10_008, "Unknown Message", 404);
    if (threads.has(id))
      return refuse(160_004, "A thread has already been created for this message", 400);
    threads.add(id);
    return json({ id });
  };
  let crosspostRefusal: { readonly status: number; readonly code: number } | undefined;
  const crosspost = (id: string): Answer => {
    if (crosspostRefusal !== undefined)
      return refuse(crosspostRefusal.code, "refused", crosspostRefusal.status);
    const seconds = waitFor("crossposts", 10, 3_600_000);
    if (seconds > 0) return limited(seconds);
    crossposts.push({ id, atMs: clock.now() });
    return json({ id });
  };
  const server = await startLoopbackServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, "http://discord.test");
    const other = others(pathname.replace(/^\/api\/v10/, ""), request);
    if (other !== undefined) return other(request, response);
    const [, channel = "", message = "", verb = ""] =
      /channels\/(\d+)\/messages(?:\/(\d+)(?:\/(\w+))?)?$/.exec(pathname) ?? [];
    const answer = pathname.startsWith("/api/webhooks/")
      ? post(searchParams.get("thread_id") ?? "55", request.body, WEBHOOK_WINDOW_MS)
      : request.method === "PATCH"
        ? edit(channel, message, request.body)
        : verb === "threads"
          ? startThread(message)
          : verb === "crosspost"
            ? crosspost(message)
            : post(channel, request.body, 5_000);
    answer(request, response);
  });
  return {
    messages,
    crossposts,
    refusals,
    edits,
    remove: (id: string) =>
      void messages.splice(
        messages.findIndex((message) => message.id === id),
        1,
      ),
    failEdits: (how: typeof editsFail) => {
      editsFail = how;
    },
    refusedEdits: () => refusedEdits,
    /** Sets the answer to every crosspost from now on. Undefined: as usual. */
    refuseCrossposts: (status: number | undefined, code = 0) => {
      crosspostRefusal = status === undefined ? undefined : { status, code };
    },
    apiUrl: `${server.url}/api`,
    webhookUrl: `${server.url}/api/webhooks/1/secret`,
    close: server.close,
  };
}
