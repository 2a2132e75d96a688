/**
 * Slack, Discord and a webhook in memory: each enforces the limit that its vendor documents, and
 * counts what it took and what it refused.
 */
import { type Clock, sleep } from "../../src/model/clock.ts";
import type { HttpRequest, HttpResponse } from "../../src/model/http.ts";

export interface Vendor {
  readonly name: string;
  readonly host: string;
  /** The vendor's rate limit. */
  readonly limit: { readonly count: number; readonly intervalMs: number } | undefined;
  answer(request: HttpRequest): Promise<HttpResponse>;
  /** How often each tweet was accepted, by tweet id. */
  readonly accepted: ReadonlyMap<string, number>;
  readonly refused: () => number;
  readonly lastAcceptedAtMs: () => number;
}

/** The latency of a vendor nearby. */
const ANSWER_MS = 80;
const STATUS_LINK = /\/status\/(\d+)/;

interface VendorTraits {
  readonly name: string;
  readonly host: string;
  readonly limit?: Vendor["limit"];
  readonly accepts: (window: Window) => HttpResponse;
  readonly refuses: (waitMs: number) => HttpResponse;
}

interface Window {
  /** Messages that are still allowed now. */
  readonly left: number;
  /** The time until one more message is allowed. */
  readonly resetMs: number;
}

const json = (
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

function createVendor(clock: Clock, { name, host, limit, accepts, refuses }: VendorTraits): Vendor {
  const accepted = new Map<string, number>();
  let taken: readonly number[] = [];
  let refused = 0;
  let lastAcceptedAtMs = 0;
  return {
    name,
    host,
    limit,
    accepted,
    refused: () => refused,
    lastAcceptedAtMs: () => lastAcceptedAtMs,
    async answer(request) {
      await sleep(clock, ANSWER_MS / 2);
      const nowMs = clock.monotonic();
      taken = taken.filter((atMs) => limit !== undefined && atMs > nowMs - limit.intervalMs);
      const resetMs = (taken[0] ?? nowMs) + (limit?.intervalMs ?? 0) - nowMs;
      const isFull = limit !== undefined && taken.length >= limit.count;
      if (isFull) refused += 1;
      else {
        taken = [...taken, nowMs];
        lastAcceptedAtMs = clock.now();
        const tweet = tweetOf(request);
        accepted.set(tweet, (accepted.get(tweet) ?? 0) + 1);
      }
      await sleep(clock, ANSWER_MS / 2);
      return isFull
        ? refuses(resetMs)
        : accepts({ left: limit === undefined ? 1 : limit.count - taken.length, resetMs });
    },
  };
}

/**
 * Returns the id of the tweet that a message is about, from its permalink or from the webhook's
 * body.
 */
function tweetOf({ body = "" }: HttpRequest): string {
  const text = body.startsWith("{") ? body : decodeURIComponent(body);
  const id = STATUS_LINK.exec(text)?.[1] ?? /"tweet":\{"id":"(\d+)"/.exec(text)?.[1];
  if (id === undefined) throw new Error(`no tweet in ${text.slice(0, 200)}`);
  return id;
}

/** The limit is a message a second and channel: https://docs.slack.dev/apis/web-api/rate-limits */
export const createSlack = (clock: Clock): Vendor =>
  createVendor(clock, {
    name: "a Slack channel",
    host: "slack.com",
    limit: { count: 1, intervalMs: 1_000 },
    accepts: () => json(200, { ok: true, ts: `${clock.now() / 1_000}`, channel: "C1" }),
    refuses: (waitMs) =>
      json(
        429,
        { ok: false, error: "ratelimited" },
        { "retry-after": String(Math.ceil(waitMs / 1_000)) },
      ),
  });

/**
 * Five messages in two seconds and webhook, said in headers:
 * https://discord.com/developers/docs/topics/rate-limits
 */
export const createDiscord = (clock: Clock): Vendor =>
  createVendor(clock, {
    name: "a Discord webhook",
    host: "discord.com",
    limit: { count: 5, intervalMs: 2_000 },
    accepts: ({ left, resetMs }) =>
      json(
        200,
        { id: "1", channel_id: "1" },
        {
          "x-ratelimit-limit": "5",
          "x-ratelimit-remaining": String(left),
          "x-ratelimit-reset-after": (resetMs / 1_000).toFixed(3),
          "x-ratelimit-bucket": "bench",
        },
      ),
    refuses: (waitMs) =>
      json(
        429,
        { message: "You are being rate limited.", retry_after: waitMs / 1_000, global: false },
        {
          "retry-after": String(Math.ceil(waitMs / 1_000)),
          "x-ratelimit-remaining": "0",
          "x-ratelimit-scope": "user",
        },
      ),
  });

export const createHook = (clock: Clock): Vendor =>
  createVendor(clock, {
    name: "a webhook",
    host: "hook.example",
    accepts: () => ({ status: 204, headers: {}, body: "" }),
    refuses: () => ({ status: 500, headers: {}, body: "" }),
  });
