/**
 * Reads what each sink received, from what really arrived: the JSON of webhooks and files, and the
 * links in chat messages.
 */
import { ARTICLE_POST, COUNTED_POSTS, ROOT_POSTS } from "../draw/cast.ts";
import { isMessage, keyOf } from "./outbox.ts";
import type { Attempt, Wire } from "../run/sinks.ts";
import { teamsText } from "../../support/teams-stand-in.ts";
import type { TweetFact } from "../run/world-history.ts";

export interface Reported {
  readonly tweetId: string;
  /** The event's type, if it can be known, and its id, if the receiver gets it. */
  readonly type: string | undefined;
  readonly eventId: string | undefined;
  /** The watches named as having matched. A long list names none. */
  readonly watches: readonly string[];
}

/** An attempt to deliver a message. */
export interface Receipt {
  readonly attempt: Attempt;
  readonly sink: string;
  readonly atMs: number;
  /**
   * A key that is the same for every attempt of one message, if the receiver can see one. Otherwise
   * the whole text.
   */
  readonly message: string;
  readonly reported: readonly Reported[];
  /** The tweet ids anywhere in the message, including tweets that are answered or quoted. */
  readonly named: ReadonlySet<string>;
  /** The types of the daemon's own events. */
  readonly opsAlerts: readonly string[];
  /** When the newest of its events was detected. Only sinks for programs get that. */
  readonly detectedAtMs: number | undefined;
}

export function receiptsOf(
  attempts: readonly Attempt[],
  tweets: ReadonlyMap<string, TweetFact>,
): readonly Receipt[] {
  return attempts
    .filter(isMessage)
    .map((attempt) =>
      isForPrograms(attempt.wire) ? readEvents(attempt) : readChat(attempt, tweets),
    );
}

interface EventDocument {
  readonly type: string;
  readonly timestamp: string;
  readonly data: EventData & {
    readonly events?: readonly (EventData & { readonly type: string })[];
  };
}

type EventData = {
  readonly id: string;
  readonly watch: string;
  readonly tweet?: { readonly id: string };
};

/** Whether the sink gets the events themselves as JSON. */
export const isForPrograms = (wire: Wire): boolean =>
  wire === "webhook" || wire === "file" || wire === "exec";

/**
 * Returns the documents of a message: a webhook or a program gets one, a file one for each event.
 */
export const documentsOf = ({ wire, body, text }: Attempt): readonly EventDocument[] =>
  (wire === "file" || wire === "exec"
    ? text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown)
    : [body]) as readonly EventDocument[];

function readEvents(attempt: Attempt): Receipt {
  const documents = documentsOf(attempt);
  const events = documents.flatMap(({ type, data }) => data.events ?? [{ ...data, type }]);
  const reported = events.flatMap((event): readonly Reported[] =>
    // The post of an escalation was reported earlier: check-escalations.ts checks those.
    event.tweet === undefined || event.type === "alert.escalated"
      ? []
      : [{ tweetId: event.tweet.id, type: event.type, eventId: event.id, watches: [event.watch] }],
  );
  return {
    ...{ attempt, sink: attempt.sink, atMs: attempt.atMs, reported },
    message: keyOf(attempt) ?? attempt.text,
    named: new Set(reported.map(({ tweetId }) => tweetId)),
    opsAlerts: events.filter(({ watch }) => watch === "").map((event) => event.type),
    detectedAtMs: Math.max(...documents.map(({ timestamp }) => Date.parse(timestamp))),
  };
}

/** The beginning of the title of an escalation. */
const ESCALATED =
  /(?:Not acknowledged for|Not taken by s\d+ for|Not taken by console for|Given up for (?:s\d+|console)\b)/;

function readChat(attempt: Attempt, tweets: ReadonlyMap<string, TweetFact>): Receipt {
  const text = textOf(attempt);
  // Whether a message is a report. A report about missing alerts reports none of them, and a list
  // of top posts is no alert about them.
  const isReport =
    /\balerts? for \S+ (?:was|were) (?:given up|refused for good)\b/.test(text) ||
    text.includes("Top posts, as last seen:") ||
    ESCALATED.test(text);
  const found = isReport
    ? []
    : [...text.matchAll(/\/status\/(\d{18,20})\b/g)].map(([, id = ""]) => id);
  const named = new Set(found.filter((id) => tweets.has(id)));
  // A tweet that another one of this message answers or quotes is context and not reported itself.
  const context = new Set([...named].map((id) => tweets.get(id)?.ofId));
  const ids = [...named].filter(
    (id) => !context.has(id) && !REPORTED_OTHERWISE.includes(tweets.get(id)?.name ?? ""),
  );
  const reported = ids.map((tweetId): Reported => {
    const watches =
      ids.length > 1
        ? []
        : [...new Set([...aboutOf(tweetId, text, attempt).matchAll(NAMES)].map(([id]) => id))];
    return { tweetId, type: typeOf(text, ids.length), eventId: undefined, watches };
  });
  return {
    ...{
      attempt,
      sink: attempt.sink,
      atMs: attempt.atMs,
      reported,
      named,
      detectedAtMs: undefined,
    },
    message: keyOf(attempt) ?? attempt.text,
    opsAlerts: reported.length === 0 ? ["?"] : [],
  };
}

/**
 * Returns the part of a message that is about one tweet. In a list that is the tweet's own line,
 * because the other lines name other watches and a digest may say that no alert came. In a chat the
 * text above a list is about all of its lines; on a console each line names its own watch.
 */
function aboutOf(tweetId: string, text: string, { wire }: Attempt): string {
  // A console marks alerts with "!" and indents the lines of a list.
  const [marks, bullet] =
    wire === "console" ? [/^(?=(?: {2})?[•!] )/m, /^(?: {2})?[•!] /] : [/^(?=• )/m, /^• /];
  const parts = text.split(marks);
  const own = parts.find((part) => bullet.test(part) && part.includes(`/status/${tweetId}`));
  const section = own === undefined ? undefined : sectionOf(own, text);
  if (section !== undefined) return section;
  const above = parts.filter((part) => !bullet.test(part)).join("");
  // When a few alerts are shown whole, nothing says which part names which watch.
  if (own === undefined) return COUNTS.test(text) ? "" : text;
  return wire === "console" ? own : `${above}\n${own}`;
}

/** The heading of several alerts: "3 alerts", or "1 post, 2 new followers". */
const COUNTS = /^\W*\d[\d,]* (?:alerts\b|[^\n,]+, \d)/m;

/**
 * Returns the heading of the digest section in which a line stands: "w0 (3)" or "w0 (9, 3 shown)",
 * or "w0: Posts (3)" if the watch has several sections. In a further message of the digest, it ends
 * in "(continued)". Some chats escape the brackets. The digest's own heading names the watches of all
 * sections.
 */
const sectionOf = (line: string, text: string): string | undefined =>
  [...text.slice(0, text.indexOf(line)).matchAll(SECTION)].at(-1)?.[0];

/** The names that are drawn for watches. */
const NAME = String.raw`(?:w|catch)\d+`;
const NAMES = new RegExp(String.raw`\b${NAME}\b`, "g");
const SECTION = new RegExp(
  String.raw`^\W*${NAME}(?:: [^\n]*)? \\?\([\d,]+(?:, [\d,]+ shown)?\\?\)(?: \\?\(continued)?\W*$`,
  "gm",
);

/**
 * Posts that other watches follow. They are reported as values, or as posts that somebody answered.
 */
const REPORTED_OTHERWISE: readonly string[] = [...COUNTED_POSTS, ...ROOT_POSTS, ARTICLE_POST];

/**
 * Returns the event type that a text shows. With several alerts in one message the type cannot be
 * determined. A digest can cut a title off before its verb; then only the digest's heading says "1
 * deleted post".
 */
function typeOf(text: string, count: number): string | undefined {
  const isGone = /is gone: deleted|\bdeleted posts?\b/i.test(text);
  if (!isGone && !/ was edited|\bedited posts?\b/i.test(text)) return "tweet.created";
  return count > 1 ? undefined : isGone ? "tweet.deleted" : "tweet.edited";
}

/** Returns the text that people see, with each link behind the words it belongs to. */
function textOf({ wire, body }: Attempt): string {
  if (wire === "email") return (body as { readonly text: string }).text;
  if (wire === "teams") return teamsText(body);
  if (wire !== "telegram") return textsIn(body).join("\n");
  const { text, entities } = body as {
    readonly text: string;
    readonly entities: readonly { offset: number; length: number; url?: string }[];
  };
  const links = entities.filter(({ url }) => url !== undefined).reverse();
  return links.reduce(
    (all, { offset, length, url }) =>
      `${all.slice(0, offset + length)} ${url} ${all.slice(offset + length)}`,
    text,
  );
}

/** Returns all strings that people see, without the keys that only programs read. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "nonce" || key === "metadata" ? [] : textsIn(inner),
  );
}
