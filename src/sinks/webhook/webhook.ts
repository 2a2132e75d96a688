/** The webhook sink: a signed POST of the events' own facts, for programs. Owns its settings, request and body; what an answer means is webhook-answer.ts, retries are the outbox's. */
import ipaddr from "ipaddr.js";
import { z } from "zod";
import type { Clock } from "../../model/clock.ts";
import { parseDuration } from "../../model/duration.ts";
import type { Http } from "../../model/http.ts";
import { isLoopback } from "../../model/loopback.ts";
import type { SealedMessage, Sink } from "../../model/sink.ts";
import { doubtsOfOtherChat } from "../kind/chat-doubts.ts";
import { eventDocument } from "../kind/event-json.ts";
import type { SinkDoubt, SinkType } from "../kind/sink-type.ts";
import { classifyWebhookAnswer, classifyWebhookFailure } from "./webhook-answer.ts";
import { createSigner, secretProblem } from "./webhook-signature.ts";

/** Receivers answer with a word or two; what is longer is not read further. */
const MAX_ANSWER_BYTES = 16_384;

const settingsSchema = z.strictObject({
  url: z
    .string()
    .superRefine((text, context) => {
      const problem = urlProblem(text);
      if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
    })
    .describe("Where events are posted: an http or https address. A secret, as its path or query may hold a token."),
  secret: z
    .string()
    .superRefine((text, context) => {
      const problem = secretProblem(text);
      if (problem !== undefined) context.addIssue({ code: "custom", message: `the secret ${problem}` });
    })
    .optional()
    .describe("Signs every message (Standard Webhooks): `whsec_` and base64, or any other text. Unsigned when absent."),
  headers: z
    .record(z.string(), z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/, "holds characters no header may hold"))
    .refine((headers) => Object.keys(headers).every((name) => HEADER_NAME.test(name)), "one of these is not a header name")
    .refine(
      (headers) => Object.keys(headers).every((name) => !RESERVED.test(name)),
      "content-type, content-length, host and webhook-… are set by chirpwatch",
    )
    .optional()
    .describe("Further request headers, e.g. an Authorization."),
  timeout: z
    .string()
    .refine((text) => (parseDuration(text) ?? 0) >= 100, "must be a duration of at least 100ms, like 15s")
    .default("15s")
    .describe("How long one attempt may take."),
  allow_private: z.boolean().default(false).describe("Allows private and loopback addresses, which are refused otherwise."),
});

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const RESERVED = /^(content-type|content-length|host|connection|transfer-encoding|webhook-.*)$/i;

type WebhookSettings = z.infer<typeof settingsSchema>;

function urlProblem(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return "must be an address that starts with https:// or http://";
  if (url.username !== "" || url.password !== "") return "must not hold a user name or password: send them in `headers`";
  return undefined;
}

export const webhookSink: SinkType<WebhookSettings> = {
  type: "webhook",
  summary: "Posts every event as signed JSON (Standard Webhooks) to an address of yours.",
  schema: settingsSchema,
  secrets: ["url", "secret"],
  mayBeLiteral: ["url"],
  example: 'type: webhook\nurl: "https://example.com/hook"\nsecret: "${WEBHOOK_SECRET}"\n',
  chat: false,
  concurrency: 4,
  doubts: (name, settings) => [
    ...doubtOfSecret(name, settings),
    ...doubtOfAddress(name, settings),
    ...doubtsOfOtherChat("webhook", "url", settings.url),
  ],
  destinations: (settings) => [{ kind: "url", url: settings.url }],
  create: async (_name, settings, deps) => createWebhookSink(settings, deps),
};

function doubtOfSecret(name: string, { secret }: WebhookSettings): readonly SinkDoubt[] {
  if (secret !== undefined) return [];
  return [{ rule: "unsigned-webhook", message: `\`${name}\` has no \`secret\`: its messages are not signed, anyone could send the like` }];
}

/** Of addresses that are written out: what a name leads to is known when it is asked for. */
function doubtOfAddress(name: string, { url, allow_private: isAllowed }: WebhookSettings): readonly SinkDoubt[] {
  const { hostname } = new URL(url);
  if (isAllowed || !isPrivate(hostname)) return [];
  const message = `\`${name}\` points to ${hostname}, a private or loopback address, which webhooks may not reach: set \`allow_private: true\` if it should go there`;
  return [{ rule: "private-webhook", message }];
}

/** Whether a host of a URL is an address that only this machine or its own network has; of names, `localhost` alone. */
function isPrivate(host: string): boolean {
  const plain = host.replace(/^\[|\]$/g, "");
  return isLoopback(host) || (ipaddr.isValid(plain) && ipaddr.process(plain).range() !== "unicast");
}

function createWebhookSink(settings: WebhookSettings, deps: { readonly http: Http; readonly clock: Clock }): Sink {
  const signer = settings.secret === undefined ? undefined : createSigner(settings.secret);
  const timeoutMs = parseDuration(settings.timeout) ?? 15_000;
  const headersOf = (message: SealedMessage, body: string): Record<string, string> => {
    const seconds = Math.floor(deps.clock.now() / 1_000);
    const signature = signer?.sign(message.id, seconds, body);
    return {
      "user-agent": "chirpwatch",
      ...settings.headers,
      "content-type": "application/json",
      "webhook-id": message.id,
      "webhook-timestamp": String(seconds),
      ...(signature === undefined ? {} : { "webhook-signature": signature }),
    };
  };
  return {
    render: eventDocument,
    async send(message, signal) {
      const body = typeof message.body === "string" ? message.body : JSON.stringify(message.body);
      const headers = headersOf(message, body);
      const reach = settings.allow_private ? "any" : "public";
      const request = {
        method: "POST",
        url: settings.url,
        headers,
        body,
        timeoutMs,
        maxBytes: MAX_ANSWER_BYTES,
        answerBody: "drop",
        reach,
        signal,
      } as const;
      const answer = await deps.http
        .request(request)
        .catch((error: unknown) => Promise.reject(classifyWebhookFailure(error, settings.url)));
      if (answer.status < 200 || answer.status > 299) throw classifyWebhookAnswer(answer, deps.clock.now());
      return {};
    },
  };
}
