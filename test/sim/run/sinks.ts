/**
 * The receivers behind every sink: webhooks, and Slack and Discord as bots and as webhooks, each
 * with a script of its answers. Owns what arrived and whether the sender learned it. Knows the
 * receivers' wire formats, but nothing about how messages are made.
 */
import { stripVTControlCharacters } from "node:util";
import { type Clock, sleep } from "../../../src/model/clock.ts";
import { HttpError, type HttpRequest, type HttpResponse } from "../../../src/model/http.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import type { Random } from "../../../src/model/random.ts";
import type { Outputs } from "../../../src/model/outputs.ts";
import type { SinkTroubleKind } from "../draw/scenario.ts";
import { type Arrival, createSimOutputs } from "./outputs.ts";

export type Wire =
  | "webhook"
  | "slack-bot"
  | "slack-webhook"
  | "discord-bot"
  | "discord-webhook"
  | "telegram"
  | "teams"
  | "apprise"
  | "chat_webhook"
  | "email"
  | "file"
  | "exec"
  | "console";

/** An attempt as its receiver saw it. */
export interface Attempt {
  readonly sink: string;
  readonly wire: Wire;
  readonly atMs: number;
  /** The life of the daemon that sent it. */
  readonly life: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON; for a console the text itself. */
  readonly body: unknown;
  readonly text: string;
  /**
   * The request path, which shows what a request is about if it is not a new message: a crosspost,
   * an update, a check of credentials.
   */
  readonly path: string;
  /** The fault of the sink at this attempt, and the wait that it asked for. */
  trouble: SinkTroubleKind | undefined;
  waitMs: number;
  accepted: boolean;
  /** The status of the answer; 0: no answer. */
  status: number;
  /** When the sender had the answer. Undefined: never. */
  answeredAtMs: number | undefined;
}

export interface Receivers {
  readonly attempts: readonly Attempt[];
  /** Answers a request. Undefined if the address is no sink's. */
  request(request: HttpRequest, life: number): Promise<HttpResponse> | undefined;
  write(text: string, life: number): void;
  outputs(life: number): Outputs;
  /** Gives the sink a fault that lasts until the next order, or for `times` attempts. */
  trouble(sink: string, kind: SinkTroubleKind | undefined, times?: number): void;
}

interface Address {
  readonly sink: string;
  readonly wire: Wire;
}

/**
 * Returns the sink of an address. Sinks are named s0, s1 …, and every address contains its sink.
 */
function addressOf(
  url: URL,
  body: string,
  threads: ReadonlyMap<string, string>,
): Address | undefined {
  if (url.hostname.startsWith("hook-"))
    return { sink: url.hostname.split(".")[0]?.slice(5) ?? "", wire: "webhook" };
  if (url.hostname.startsWith("teams-"))
    return { sink: url.hostname.split(".")[0]?.slice(6) ?? "", wire: "teams" };
  if (url.hostname.startsWith("chat-"))
    return { sink: url.hostname.split(".")[0]?.slice(5) ?? "", wire: "chat_webhook" };
  if (url.hostname.startsWith("apprise-"))
    return { sink: url.hostname.split(".")[0]?.slice(8) ?? "", wire: "apprise" };
  if (url.hostname === "hooks.slack.com")
    return { sink: url.pathname.split("/").at(-1) ?? "", wire: "slack-webhook" };
  if (url.hostname === "slack.com" && url.pathname.endsWith("/auth.test"))
    return { sink: "", wire: "slack-bot" };
  if (url.hostname === "slack.com") return { sink: channelOf(body), wire: "slack-bot" };
  if (url.hostname === "api.telegram.org")
    return {
      sink: `s${-Number((JSON.parse(body) as JsonObject)["chat_id"]) % 1_000}`,
      wire: "telegram",
    };
  if (url.hostname !== "discord.com") return undefined;
  const [, kind, id = "", rest = ""] =
    /\/(webhooks|channels)\/(\d+)(?:\/([^/?]+))?/.exec(url.pathname) ?? [];
  if (kind === undefined) return undefined;
  if (kind === "webhooks") return { sink: rest, wire: "discord-webhook" };
  // A thread has the id of the message it was started from.
  return { sink: threads.get(id) ?? `s${Number(id) % 1_000}`, wire: "discord-bot" };
}

const channelOf = (body: string): string =>
  (new URLSearchParams(body).get("channel") ?? "#").slice(1);

export interface ReceiverOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Called with every attempt when its outcome is final. */
  onAttempt(attempt: Attempt): void;
}

const NONCE_KEPT_MS = 5 * 60_000;

export function createReceivers({ clock, random, onAttempt }: ReceiverOptions): Receivers {
  const attempts: Attempt[] = [];
  const troubles = new Map<string, { readonly kind: SinkTroubleKind; left: number }>();
  const nonces = new Map<string, { readonly id: string; readonly atMs: number }>();
  /** The sink behind each message and thread at Discord, by id. */
  const threads = new Map<string, string>();
  let posted = 0;

  const troubleOf = (sink: string): SinkTroubleKind | undefined => {
    const trouble = troubles.get(sink);
    if (trouble === undefined) return undefined;
    trouble.left -= 1;
    if (trouble.left <= 0) troubles.delete(sink);
    return trouble.kind;
  };
  const arrive = (arrival: Arrival, headers: Attempt["headers"] = {}): Attempt => {
    const attempt: Attempt = {
      ...{ ...arrival, headers, atMs: clock.now(), trouble: troubleOf(arrival.sink), waitMs: 0 },
      ...{ accepted: false, status: 0, answeredAtMs: undefined },
    };
    attempts.push(attempt);
    return attempt;
  };
  const take = async (
    request: HttpRequest,
    { sink, wire }: Address,
    life: number,
  ): Promise<HttpResponse> => {
    await pause(clock, request, 10 + Math.floor(random.float() * 150));
    const url = new URL(request.url);
    const text = request.body ?? "";
    const path = `${url.pathname}${url.search}`;
    const attempt = arrive(
      { sink, wire, life, text, body: parse(wire, text), path },
      request.headers,
    );
    try {
      const answer = await respond(attempt, request);
      await pause(clock, request, 5);
      attempt.status = answer.status;
      attempt.answeredAtMs = clock.now();
      return answer;
    } finally {
      onAttempt(attempt);
    }
  };
  const respond = async (attempt: Attempt, request: HttpRequest): Promise<HttpResponse> => {
    const kind = attempt.trouble;
    // Waits alternate, so that of two messages under way the second may have to wait for less time.
    const waitS =
      kind === "rate-limited"
        ? [30, 12][attempts.length % 2]
        : kind === "rate-limited-globally"
          ? 20
          : 0;
    attempt.waitMs = (waitS ?? 0) * 1_000;
    const refusal = kind === undefined ? undefined : REFUSALS[kind]?.(attempt.wire, waitS ?? 0);
    if (refusal !== undefined) return refusal;
    if (kind === "too-large" && attempt.wire === "webhook" && eventsIn(attempt) > 2)
      return plain(413);
    if (kind === "unreachable")
      throw new HttpError("HTTP_CONNECT", `${attempt.sink}: no connection could be made`, false);
    if (kind === "unresolved")
      throw new HttpError(
        "HTTP_DNS",
        `${attempt.sink}: the host name could not be resolved`,
        false,
      );
    if (kind === "hang") await hang(clock, request);
    if (kind === "slow") await pause(clock, request, 9_000);
    const answer = accept(attempt);
    if (kind === "sluggish") await pause(clock, request, 6_000);
    if (kind === "lost-by-timeout") await hang(clock, request);
    if (kind === "lost-by-reset")
      throw new HttpError(
        "HTTP_RESET",
        "the connection broke before the whole answer had arrived",
        true,
      );
    return answer;
  };
  const accept = (attempt: Attempt): HttpResponse => {
    attempt.accepted = true;
    if (attempt.wire === "webhook") return { status: 200, headers: {}, body: "ok" };
    if (attempt.wire === "teams") return { status: 202, headers: {}, body: "" };
    if (attempt.wire === "apprise") return { status: 200, headers: {}, body: "" };
    if (attempt.wire === "chat_webhook" || attempt.wire === "slack-webhook")
      return { status: 200, headers: {}, body: "ok" };
    const id = String(1_700_000_000_000_000 + posted++);
    if (attempt.wire === "slack-bot")
      return json(200, {
        ok: true,
        ts: `${id.slice(0, 10)}.${id.slice(10)}`,
        channel: `C${attempt.sink}`,
        user_id: "U1",
      });
    if (attempt.wire === "telegram") return json(200, { ok: true, result: { message_id: posted } });
    const nonce = (attempt.body as JsonObject)["nonce"];
    if (typeof nonce === "string") {
      const known = nonces.get(`${attempt.sink} ${nonce}`);
      // Discord answers a repeat with the message that is there already.
      if (known !== undefined && clock.now() - known.atMs < NONCE_KEPT_MS) attempt.accepted = false;
      else nonces.set(`${attempt.sink} ${nonce}`, { id, atMs: clock.now() });
      threads.set(known?.id ?? id, attempt.sink);
      return json(200, { id: known?.id ?? id, channel_id: placeOf(attempt) });
    }
    threads.set(id, attempt.sink);
    return json(
      200,
      attempt.path.endsWith("/threads")
        ? { id, message: { id } }
        : { id, channel_id: placeOf(attempt) },
    );
  };
  return {
    attempts,
    request(request, life) {
      const address = addressOf(new URL(request.url), request.body ?? "", threads);
      return address === undefined ? undefined : take(request, address, life);
    },
    write(written, life) {
      // Colours depend on the environment in which the simulation runs, so they are removed.
      const [atMs, text] = [clock.now(), stripVTControlCharacters(written)];
      const attempt: Attempt = {
        ...{
          sink: "console",
          wire: "console",
          life,
          text,
          atMs,
          headers: {},
          body: text,
          path: "",
        },
        ...{ accepted: true, status: 200, answeredAtMs: atMs, trouble: undefined, waitMs: 0 },
      };
      attempts.push(attempt);
      onAttempt(attempt);
    },
    outputs: (life) => createSimOutputs({ clock, arrive, settle: onAttempt }, life),
    trouble(sink, kind, times = Number.POSITIVE_INFINITY) {
      if (kind === undefined) troubles.delete(sink);
      else troubles.set(sink, { kind, left: times });
    },
  };
}

/** Returns the channel or thread in which a bot posted. */
const placeOf = ({ path }: Attempt): string => /\/channels\/(\d+)/.exec(path)?.[1] ?? "1";

function parse(wire: Wire, text: string): unknown {
  if (wire === "slack-bot") {
    const fields = Object.fromEntries(new URLSearchParams(text));
    return {
      ...fields,
      ...(fields["blocks"] === undefined
        ? {}
        : { blocks: JSON.parse(fields["blocks"]) as unknown }),
    };
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return {};
  }
}

const json = (
  status: number,
  body: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

const plain = (status: number, headers: Readonly<Record<string, string>> = {}): HttpResponse => ({
  status,
  headers,
  body: "no",
});

const isSlack = (wire: Wire): boolean => wire.startsWith("slack");
const isDiscord = (wire: Wire): boolean => wire.startsWith("discord");

/** Returns a refusal of Slack: status 200 for a bot, a text for a webhook. */
const slackRefusal = (wire: Wire, code: string, status: number): HttpResponse =>
  wire === "slack-bot"
    ? json(200, { ok: false, error: code })
    : { status, headers: {}, body: code };

const FAILURES_INSIDE: Readonly<Partial<Record<Wire, HttpResponse>>> = {
  "slack-bot": json(200, { ok: false, error: "internal_error" }),
  telegram: json(200, { ok: false, description: "Internal" }),
  teams: {
    status: 200,
    headers: {},
    body: "Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 500 with ContextId x",
  },
  apprise: json(200, { error: "The notification failed." }),
};

const REFUSALS: Readonly<
  Partial<Record<SinkTroubleKind, (wire: Wire, waitS: number) => HttpResponse>>
> = {
  "rate-limited": (wire, waitS) =>
    isDiscord(wire)
      ? json(
          429,
          { message: "You are being rate limited.", retry_after: waitS, global: false },
          { "retry-after": String(waitS) },
        )
      : plain(429, { "retry-after": String(waitS) }),
  "rate-limited-globally": (wire) =>
    isDiscord(wire)
      ? json(
          429,
          { message: "You are being rate limited.", retry_after: 20, global: true },
          { "retry-after": "20", "x-ratelimit-global": "true" },
        )
      : plain(429, { "retry-after": "20" }),
  "rate-limited-for-ever": () => plain(429),
  failing: () => plain(500),
  "failing-inside": (wire) => FAILURES_INSIDE[wire] ?? plain(500),
  unavailable: () => ({ status: 503, headers: {}, body: "<html>503</html>" }),
  unauthorised: (wire) => (isSlack(wire) ? slackRefusal(wire, "token_revoked", 403) : plain(401)),
  forbidden: (wire) => (isSlack(wire) ? slackRefusal(wire, "is_archived", 410) : plain(403)),
  missing: (wire) => (isSlack(wire) ? slackRefusal(wire, "channel_not_found", 404) : plain(404)),
  gone: (wire) => (isSlack(wire) ? slackRefusal(wire, "no_service", 404) : plain(410)),
  moved: () => plain(302, { location: "https://elsewhere.example/" }),
  refusing: (wire) => (isSlack(wire) ? slackRefusal(wire, "invalid_blocks", 400) : plain(400)),
};

const eventsIn = ({ body }: Attempt): number => {
  const { events } = ((body as JsonObject)["data"] ?? {}) as {
    readonly events?: readonly unknown[];
  };
  return events?.length ?? 1;
};

/**
 * Waits as a socket does: until the time is over, the sender gives up, or the request's deadline
 * passes.
 */
async function pause(clock: Clock, request: HttpRequest, ms: number): Promise<void> {
  await sleep(clock, Math.min(ms, request.timeoutMs), request.signal);
  if (request.signal?.aborted)
    throw new HttpError("HTTP_ABORTED", "the request was given up", true, {
      cause: request.signal.reason,
    });
  if (ms >= request.timeoutMs)
    throw new HttpError("HTTP_TIMEOUT", `no whole answer within ${request.timeoutMs} ms`, true);
}

const hang = (clock: Clock, request: HttpRequest): Promise<void> =>
  pause(clock, request, request.timeoutMs);
