/**
 * The Apprise sink sends plain text to any service that an Apprise API server knows. Contains its
 * settings, the text, and what the server's answers mean.
 */
import { z } from "zod";
import type { HttpResponse } from "../model/http.ts";
import type { JsonObject } from "../model/json.ts";
import {
  type Batch,
  type Digest,
  type DigestPart,
  type SendReceipt,
  SinkError,
} from "../model/sink.ts";
import { cardsOf } from "../render/people.ts";
import { headingOf } from "../render/messages/plain-message.ts";
import {
  announcementLine,
  fitCards,
  headingWithin,
  plainLine,
  type RichCard,
  type RichLine,
  richDigest,
} from "../render/rich-lines.ts";
import { cleanLine } from "../render/text/clean-text.ts";
import { defuseHandles, defuseMentions } from "../render/text/defuse.ts";
import { trimText } from "../render/text/trim-text.ts";
import { createPoster } from "./kind/address-post.ts";
import { byStatus, inBody } from "./kind/meant-answer.ts";
import {
  addressSetting,
  allowPrivateSetting,
  doubtOfPrivateAddress,
  timeoutSetting,
} from "./kind/address-settings.ts";
import { addIssue } from "./kind/chat-settings.ts";
import { withFooterLine } from "./kind/footer-text.ts";
import type { Receiver } from "./kind/http-answer.ts";
import type { SinkDeps, SinkType } from "./kind/sink-type.ts";

/**
 * The services behind Apprise have text limits of their own. At these limits Apprise cuts or splits
 * a text, as `overflow` in their URLs says. Most of the services accept a text of this length.
 */
const APPRISE_BODY_CHARS = 3_500;
const TITLE_CHARS = 200;
/** A message shows at most this many alerts in full. If there are more, they are sent as a list. */
export const APPRISE_MAX_CARDS = 3;

const settingsSchema = z
  .strictObject({
    url: addressSetting(
      "Base address of the Apprise API server, like http://apprise:8000.",
      "use an address without them",
    ),
    key: z
      .string()
      .regex(/^[\w-]{1,128}$/, "must be letters, digits, - and _, at most 128")
      .optional()
      .describe("The configuration on that server to notify."),
    tag: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe("Notifies only the services with this tag in that configuration."),
    urls: z
      .string()
      .min(1)
      .optional()
      .describe(
        "Apprise URLs to notify, instead of `key`, separated by commas. Without both, the server notifies the URLs that it was started with.",
      ),
    timeout: timeoutSetting("30s"),
    allow_private: allowPrivateSetting(),
  })
  .superRefine(({ key, urls, tag }, context) => {
    if (key !== undefined && urls !== undefined)
      addIssue(context, "cannot be combined with `key`: remove one of them", "urls");
    if (tag !== undefined && key === undefined)
      addIssue(context, "needs a `key`: tags belong to a configuration on the server", "tag");
  });

type AppriseSettings = z.infer<typeof settingsSchema>;

/**
 * The body of a message, which is stored and sent unchanged in every attempt.
 * https://github.com/caronc/apprise-api#api-details
 */
export type AppriseBody = {
  readonly title: string;
  readonly body: string;
  readonly type: "info" | "warning" | "failure";
};

const APPRISE_LOG = (sent: string) =>
  `{"error":"One or more notification could not be sent","details":[${sent}["WARNING","","Failed to send."]]}`;

export const appriseSink: SinkType<AppriseSettings> = {
  type: "apprise",
  summary:
    "Posts plain text through an Apprise API server, which reaches more than a hundred other services.",
  schema: settingsSchema,
  secrets: ["url", "urls"],
  mayBeLiteral: ["url"],
  example: "type: apprise\nurl: http://apprise:8000\nkey: brand\nallow_private: true\n",
  chat: true,
  concurrency: 1,
  answers: [
    ...byStatus("sent", 200),
    inBody("2xx with an `error`", "passing", { status: 200, body: '{"error":"no"}' }),
    ...byStatus("closed", 204),
    inBody("424, some services took it", "part", {
      status: 424,
      body: APPRISE_LOG('["INFO","","Sent Slack notification."],'),
    }),
    inBody("424 without a log", "part", { status: 424 }),
    inBody("424, no service took it", "passing", { status: 424, body: APPRISE_LOG("") }),
    inBody("424, `urls` names one service", "passing", {
      status: 424,
      settings: { urls: "json://notify.example" },
    }),
    ...byStatus("too_large", 413, 431),
    ...byStatus("refused", 400),
    ...byStatus("closed", 302, 401, 403, 404, 405),
    ...byStatus("wait", 429),
    ...byStatus("passing", 408, 500, 503),
  ],
  doubts: (name, settings) => doubtOfPrivateAddress(name, settings),
  destinations: ({ url }) => [{ kind: "url", url }],
  create: async (_name, settings, deps) => ({
    render: renderApprise,
    footer: {
      add: (body, footer) => {
        const own = body as AppriseBody;
        return { ...own, body: withFooterLine(own.body, defuse(footer), APPRISE_BODY_CHARS) };
      },
    },
    lists: {
      above: APPRISE_MAX_CARDS,
      render: renderAppriseDigest,
      announce: renderAppriseAnnouncement,
    },
    send: createSend(settings, deps),
  }),
};

function createSend(settings: AppriseSettings, deps: SinkDeps) {
  const { key, urls, tag } = settings;
  const url = `${settings.url.replace(/\/+$/, "")}/notify/${key ?? ""}`;
  const post = createPoster(
    { ...settings, url },
    { ...APPRISE, isPart: (answer) => isPartly(answer, urls) },
    deps,
  );
  const headers = {
    "content-type": "application/json; charset=utf-8",
    // The server then returns its log, which says how each service behind it answered.
    ...{ accept: "application/json", "x-apprise-log-level": "info", "user-agent": "chirpwatch" },
  };
  const to = { ...(urls === undefined ? {} : { urls }), ...(tag === undefined ? {} : { tag }) };
  // The API has no idempotency key, so a message whose answer was lost is sent and shown a second
  // time.
  return async (
    { body }: { readonly body: unknown },
    signal: AbortSignal,
  ): Promise<SendReceipt> => {
    const { status } = await post(
      { headers, body: JSON.stringify({ ...(body as AppriseBody), ...to, format: "text" }) },
      signal,
    );
    // The server answers 204 if there is no service to notify.
    if (status === 204)
      throw new SinkError("destination", "Apprise answered 204: nothing was notified", status, {
        hint: NOBODY_HINT,
      });
    return status === PARTLY
      ? {
          missed: [
            { receiver: "a service behind Apprise", error: "see the log of the Apprise server" },
          ],
        }
      : {};
  };
}

/**
 * The status for "At least one notification could not be sent":
 * https://github.com/caronc/apprise-api#api-response-codes
 */
const PARTLY = 424;
const SENT_LINE = /\bSent [^"\n]{1,60} notification/i;
const HAS_LOG = /"details"\s*:\s*\[\s*\[/;

/**
 * Whether some services behind the Apprise server accepted the message and others did not. No
 * service accepted it if `urls` names only one service, or if the log in the answer has no line
 * about a successful notification. Without a log the message counts as accepted, because sending it
 * again would repeat it to the services that accepted it.
 */
const isPartly = ({ status, body }: HttpResponse, urls: string | undefined): boolean =>
  status === PARTLY &&
  (urls === undefined || /[\s,]/.test(urls.trim())) &&
  (SENT_LINE.test(body) || !HAS_LOG.test(body));

const NOBODY_HINT =
  "Add Apprise URLs on the server under this `key` (and with this `tag`), or set `urls`.";

const APPRISE: Receiver = {
  name: "Apprise",
  // A 424 that is not a partial delivery: no service accepted the message, but each may accept it
  // later.
  kinds: { 424: "transient" },
  // A 200 with an `error` in the body is a failure.
  readFailure: (answer) =>
    /^\s*\{\s*"error"\s*:\s*"[^"]/.test(answer.body) ? { ...answer, status: 500 } : undefined,
  // The server's refusal "The payload is too large to be processed":
  // https://github.com/caronc/apprise-api#api-details
  isTooLarge: ({ status }) => status === 431,
  hints: {
    400: "Apprise refuses the message or its `urls`: see the log of the Apprise server.",
    401: "The server, or a proxy in front of it, requires credentials, which this sink does not send: use an address that needs none.",
    403: "The Apprise server does not allow this: check its settings.",
    404: "Check `url` and `key`: this server has no such configuration, or is not an Apprise API server.",
    405: "Check `url`: this is not an Apprise API server, or its API has another base path.",
    424: "A service behind Apprise refused the message: see the log of the Apprise server.",
  },
};

const defuse = (text: string): string => defuseHandles(defuseMentions(text));

/** Renders a message with at most `APPRISE_MAX_CARDS` alerts. */
export function renderApprise(batch: Batch): AppriseBody {
  const titles = cardsOf(batch).map(({ message }) => message.title);
  const title = [headingOf(batch, titles.length), titles.length === 1 ? (titles[0] ?? "") : ""]
    .filter((part) => part !== "")
    .join(": ");
  // The title of a single alert is the title of the message.
  const isTitle = ({ kind }: RichLine) => kind === "title" && titles.length === 1;
  const bodyOf = (cards: readonly RichCard[]) =>
    cards.map(({ lines }) => write(lines.filter((line) => !isTitle(line)))).join("\n\n");
  const cards = fitCards(batch, (some) => bodyOf(some).length <= APPRISE_BODY_CHARS);
  const severities = cards.map(({ severity }) => severity);
  const type = severities.includes("critical")
    ? "failure"
    : severities.includes("warning")
      ? "warning"
      : "info";
  return { title: titleOf(title), body: bodyOf(cards), type };
}

const titleOf = (text: string): string => trimText(defuse(cleanLine(text)), TITLE_CHARS) || "Alert";

const write = (lines: readonly RichLine[]): string => lines.map(writeLine).join("\n");

const writeLine = (line: RichLine): string =>
  `${line.isApart === true ? "\n" : ""}${defuse(plainLine(line))}`;

export const renderAppriseDigest = (digest: Digest): Iterable<DigestPart> =>
  richDigest(
    digest,
    { costs: (line) => [writeLine(line).length + 1], budgets: [APPRISE_BODY_CHARS] },
    (lines, isFirst) => linesBody(lines, isFirst ? headingWithin(digest, TITLE_CHARS) : undefined),
  );

/** Returns a body with the first line as its title, or with a title that is given. */
function linesBody([first, ...rest]: readonly RichLine[], given?: string): JsonObject {
  const said = first === undefined ? "" : plainLine(first);
  // A heading that is too long for the title is cut there, so the body repeats it in full.
  const lines =
    first !== undefined && (rest.length === 0 || said.length > TITLE_CHARS)
      ? [first, ...rest]
      : rest;
  return { title: titleOf(given ?? said), body: write(lines), type: "info" } satisfies AppriseBody;
}

export const renderAppriseAnnouncement = (nextAtMs: number): JsonObject =>
  linesBody([announcementLine(nextAtMs)]);
