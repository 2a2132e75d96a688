/**
 * The webhook sink makes a signed POST request with the facts of the events, for programs. Contains
 * its settings, request and body; `http-answer.ts` classifies answers, and the outbox retries.
 */
import { z } from "zod";
import type { Clock } from "../../model/clock.ts";
import type { Http } from "../../model/http.ts";
import { JsonText } from "../../model/json.ts";
import type { MessageBody, SealedMessage, Sink } from "../../model/sink.ts";
import { doubtsOfOtherChat } from "../kind/chat-doubts.ts";
import { byStatus, inBody } from "../kind/meant-answer.ts";
import {
  addressSetting,
  allowPrivateSetting,
  doubtOfPrivateAddress,
  timeoutSetting,
} from "../kind/address-settings.ts";
import { createPoster } from "../kind/address-post.ts";
import type { Receiver } from "../kind/http-answer.ts";
import { eventDocument } from "../kind/event-json.ts";
import type { SinkDoubt, SinkType } from "../kind/sink-type.ts";
import { bytesOf, sizeSetting } from "../kind/size-setting.ts";
import { createSigner, secretProblem, secretsIn } from "./webhook-signature.ts";

/**
 * The maximum number of secrets. Two are enough to replace a secret; each further one adds a
 * signature to every request.
 */
const MAX_SECRETS = 10;

const MAX_BATCH_EVENTS = 1_000;

const secretText = () =>
  z.string().superRefine((text, context) => {
    const secrets = secretsIn(text);
    const [problem] = (secrets.length === 0 ? [""] : secrets).flatMap(
      (secret) => secretProblem(secret) ?? [],
    );
    if (problem !== undefined)
      context.addIssue({ code: "custom", message: `the secret ${problem}` });
  });

const settingsSchema = z.strictObject({
  url: addressSetting(
    "Where events are posted: an http or https address. It is treated as a secret, because its path or query may contain a token.",
    "send them in `headers`",
  ),
  secret: z
    .union([
      secretText(),
      z
        .array(secretText())
        .min(1)
        .max(MAX_SECRETS, `contains more than ${MAX_SECRETS} secrets: remove the old ones`),
    ])
    .optional()
    .describe(
      "Signs every message (Standard Webhooks): `whsec_` and base64, or any other text. Several, the newest first, while receivers change to a new one: a list, or the lines of a file. Without a secret, messages are unsigned.",
    ),
  headers: z
    .record(
      z.string(),
      z
        .string()
        .regex(/^[\t\x20-\x7e\x80-\xff]*$/, "contains characters that a header may not contain"),
    )
    .refine(
      (headers) => Object.keys(headers).every((name) => HEADER_NAME.test(name)),
      "one of these is not a header name",
    )
    .refine(
      (headers) => Object.keys(headers).every((name) => !RESERVED.test(name)),
      "content-type, content-length, host and webhook-… are set by chirpwatch",
    )
    .optional()
    .describe("Additional request headers, such as Authorization."),
  max_events: z
    .int()
    .min(1)
    .max(MAX_BATCH_EVENTS)
    .default(MAX_BATCH_EVENTS)
    .describe(
      "Maximum number of events in one message, if a route groups them. More are sent in several messages.",
    ),
  max_bytes: sizeSetting("256KB", "100KB or 1MB").describe(
    "Maximum body size of a message with several events. Larger ones are sent in several messages; a single event is sent whatever its size.",
  ),
  timeout: timeoutSetting("15s"),
  allow_private: allowPrivateSetting(),
});

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const RESERVED = /^(content-type|content-length|host|connection|transfer-encoding|webhook-.*)$/i;

type WebhookSettings = z.infer<typeof settingsSchema>;

export const webhookSink: SinkType<WebhookSettings> = {
  type: "webhook",
  summary: "Posts every event as signed JSON (Standard Webhooks) to an address of yours.",
  schema: settingsSchema,
  secrets: ["url", "secret"],
  mayBeLiteral: ["url"],
  example: 'type: webhook\nurl: "https://example.com/hook"\nsecret: "${WEBHOOK_SECRET}"\n',
  chat: false,
  sendsEvents: "documents",
  concurrency: 8,
  answers: [
    ...byStatus("sent", 200, 204),
    inBody("2xx with an error in its body", "sent", {
      status: 200,
      body: '{"error":"no","ok":false}',
    }),
    ...byStatus("too_large", 413),
    ...byStatus("refused", 400, 422),
    ...byStatus("closed", 302, 401, 403, 404, 405),
    ...byStatus("gone", 410),
    ...byStatus("wait", 429),
    ...byStatus("passing", 408, 500, 503),
  ],
  doubts: (name, settings) => [
    ...doubtOfSecret(name, settings),
    ...doubtOfPrivateAddress(name, settings),
    ...doubtsOfOtherChat("webhook", "url", settings.url),
  ],
  destinations: (settings) => [{ kind: "url", url: settings.url }],
  create: async (_name, settings, deps) => createWebhookSink(settings, deps),
};

function doubtOfSecret(name: string, { secret }: WebhookSettings): readonly SinkDoubt[] {
  if (secret !== undefined) return [];
  return [
    {
      rule: "unsigned-webhook",
      missing: "secret",
      message: `\`${name}\` has no \`secret\`: its messages are not signed, so anyone could forge them`,
    },
  ];
}

function createWebhookSink(
  settings: WebhookSettings,
  deps: { readonly http: Http; readonly clock: Clock },
): Sink {
  const signer =
    settings.secret === undefined ? undefined : createSigner(secretsIn(settings.secret));
  const post = createPoster(settings, WEBHOOK, deps);
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
    render: (batch) => new JsonText(eventDocument(batch)),
    batches: { maxEvents: settings.max_events, maxBytes: bytesOf(settings.max_bytes) },
    async send(message, signal) {
      const body = textOf(message.body);
      await post({ headers: headersOf(message, body), body }, signal);
      return {};
    },
  };
}

/**
 * Returns the body as text. A body that was read from the state is stored JSON, which gives the
 * same text in every attempt. Earlier versions stored the document as a string.
 */
const textOf = (body: MessageBody): string =>
  body instanceof JsonText ? body.text : typeof body === "string" ? body : JSON.stringify(body);

const BODY_HINT =
  "Make the receiver accept the body that docs/webhook.md describes. Refused messages are dead letters: `chirpwatch replay --dead` sends them again.";

const WEBHOOK: Receiver = {
  name: "the webhook",
  hints: {
    400: BODY_HINT,
    401: "The receiver requires credentials: check `secret` and `headers`.",
    403: "The receiver refuses these credentials: check `secret` and `headers`.",
    404: "There is nothing at this address: check `url`.",
    415: BODY_HINT,
    422: BODY_HINT,
    410: "The receiver says that this address is gone for good, so nothing more is sent there: change `url`, or run `chirpwatch resume --sink NAME` if it is back.",
  },
  gone: [410],
};
