/**
 * Alerts and digests as lines of text with links, for sinks without a layout of their own: the
 * content of each line, before a sink escapes, measures or decorates it. Slack and Discord format
 * their own blocks.
 */
import type { NeutralMessage } from "../model/message.ts";
import type { Batch, Digest, DigestPart } from "../model/sink.ts";
import type { Json } from "../model/json.ts";
import { type DigestRow, digestPages } from "./digest-rows.ts";
import { digestHeading, digestNotes, digestRange, isPage } from "./digest-text.ts";
import { cardsOf } from "./people.ts";
import { moreText, shorterList } from "./text/people-text.ts";
import { factLine, headingOf, watchLine } from "./messages/plain-message.ts";
import { titleParts } from "./messages/title-parts.ts";
import { cleanLine, cleanText } from "./text/clean-text.ts";
import { webUrl } from "./text/permalink.ts";
import { spellTime } from "./text/times.ts";
import { trimText } from "./text/trim-text.ts";

export interface Span {
  /** The text, cleaned but not escaped. Only a body and a quote contain line ends. */
  readonly text: string;
  /** An http or https URL. */
  readonly url?: string;
  readonly isBold?: boolean;
}

export interface RichLine {
  /** A `section` is the heading of a digest's section. */
  readonly kind: "heading" | "section" | "title" | "body" | "quote" | "footer" | "item";
  readonly spans: readonly Span[];
  /** Whether there is space between the lines above and this one. */
  readonly isApart?: boolean;
}

/** An alert, or several events about accounts of one list, for a sink to format. */
export interface RichCard {
  readonly lines: readonly RichLine[];
  readonly imageUrl: string | undefined;
  readonly severity: string;
}

const LABEL_CHARS = 150;
const FACTS_CHARS = 300;
const QUOTE_CHARS = 600;
const URL_CHARS = 1_000;
const HEADING_CHARS = 400;
/** The maximum lengths of the name and of the words after it in one item of a list. */
const NAME_CHARS = 60;
const WORDS_CHARS = 110;

/** Stands before the rows below a sentence. HTML and cards keep no-break spaces. */
const INDENT = "\u00a0\u00a0\u00a0";

/**
 * The limits that `fitCards` tries for the body of each alert, from a whole long post down to its
 * first words.
 */
const BODY_CHARS = [
  25_000, 12_000, 8_000, 5_000, 3_600, 3_000, 2_400, 1_800, 1_200, 800, 400, 150, 40,
];

/**
 * Returns the alerts of a batch as cards, each with as much of its text as `fits` allows. `fits`
 * measures the cards as the sink would send them. If not even the first words fit, each card is a
 * line with a link.
 */
export function fitCards(
  batch: Batch,
  fits: (cards: readonly RichCard[]) => boolean,
): readonly RichCard[] {
  const messages = cardsOf(batch).map(({ message }) => message);
  for (const bodyChars of BODY_CHARS) {
    const cards = messages.map((message) => cardOf(message, bodyChars));
    if (fits(cards)) return cards;
  }
  return messages.map((message) => ({
    lines: [shortFooter(message)],
    imageUrl: undefined,
    severity: message.severity,
  }));
}

/** Returns the heading above all cards; undefined if a single alert needs none. */
export function headingLine(batch: Batch): RichLine | undefined {
  const heading = headingOf(batch, cardsOf(batch).length);
  return heading === "" ? undefined : { kind: "heading", spans: [{ text: heading, isBold: true }] };
}

function cardOf(message: NeutralMessage, bodyChars: number): RichCard {
  const body = trimText(cleanText(message.body).trim(), bodyChars);
  const text: readonly RichLine[] = [
    ...(body === "" ? [] : [{ kind: "body", spans: [{ text: body }] } as const]),
    ...listedLines(message, Math.floor(bodyChars / CHARS_A_NAME)),
    ...quoteLines(message, Math.min(QUOTE_CHARS, bodyChars)),
  ];
  const footer = footerLines(message).map((line) => ({ ...line, isApart: text.length > 0 }));
  return {
    lines: [titleLine(message), ...text, ...footer],
    imageUrl: message.media.map(({ url }) => shortUrl(url)).find((url) => url !== undefined),
    severity: message.severity,
  };
}

function titleLine(message: NeutralMessage): RichLine {
  const { before, author, after } = titleParts(message);
  const label = (text: string) => trimText(text.replace(/\s+/g, " "), LABEL_CHARS);
  const [first, name, rest] = [before, author, after].map((part) => label(cleanText(part)));
  const spans = [
    { text: first ?? "" },
    { text: name ?? "", isBold: true, ...link(message.author?.url) },
    { text: rest ?? "" },
  ];
  const shown = spans.filter(({ text }) => text !== "");
  return {
    kind: "title",
    spans: shown.some(({ text }) => text.trim() !== "") ? shown : [{ text: "Alert", isBold: true }],
  };
}

/**
 * The characters of the body's limit that one listed account uses. A limit of 1,200 characters
 * allows 20 accounts, a lower limit fewer.
 */
const CHARS_A_NAME = 60;

function listedLines({ list }: NeutralMessage, most: number): readonly RichLine[] {
  if (list === undefined) return [];
  const shown = shorterList(list, most);
  const names = shown.people.map(({ name, url, note }): RichLine => {
    const said = trimText(cleanLine(note), WORDS_CHARS);
    const spans = [
      { text: "• " },
      { text: trimText(cleanLine(name), NAME_CHARS) || "?", ...link(url) },
    ];
    return { kind: "item", spans: said === "" ? spans : [...spans, { text: ` · ${said}` }] };
  });
  return shown.more === 0
    ? names
    : [...names, { kind: "item", spans: [{ text: moreText(shown) }] }];
}

function quoteLines({ context }: NeutralMessage, limit: number): readonly RichLine[] {
  if (context === undefined) return [];
  const label = trimText(cleanLine(context.label), LABEL_CHARS) || "this post";
  const body = trimText(cleanText(context.body).trim(), limit);
  if (body === "") return [];
  return [
    {
      kind: "quote",
      spans: [{ text: label, ...link(context.url) }, { text: `\n${body}` }],
    },
  ];
}

function footerLines(message: NeutralMessage): readonly RichLine[] {
  const facts = trimText(cleanLine(factLine(message)), FACTS_CHARS);
  const watches = trimText(cleanLine(watchLine(message)), FACTS_CHARS);
  const severity = message.severity === "info" ? "" : message.severity;
  const time =
    message.isTimed === false ? "" : (message.occurredAt ?? spellTime(message.occurredAtMs));
  const rest = [time, facts, severity, watches].filter((part) => part !== "").join("  ·  ");
  return rest === "" ? [] : [{ kind: "footer", spans: [...openLinks(message), { text: rest }] }];
}

/**
 * Returns the shortest form of an alert, its title with a link, for a message without room for
 * more.
 */
function shortFooter(message: NeutralMessage): RichLine {
  const title = trimText(cleanLine(message.title), NAME_CHARS) || "Alert";
  return { kind: "footer", spans: [{ text: title, ...link(message.url) }] };
}

/**
 * Returns the links of the footer: "Open" leads to the alert's subject. A second link leads to the
 * message's context, such as the answered post, if there is no text of it to quote. The last one
 * leads to the page where people act on the alert.
 */
function openLinks({ url, context, actionsUrl }: NeutralMessage): readonly Span[] {
  const other = context?.body === "" ? context : undefined;
  const label = trimText(cleanLine(other?.label ?? ""), LABEL_CHARS);
  return [
    { text: "Open", ...link(url) },
    { text: label || "this post", ...link(other?.url) },
    { text: "Act on it", ...link(actionsUrl) },
  ]
    .filter((span) => span.url !== undefined)
    .flatMap((span) => [span, { text: "  ·  " }]);
}

function link(text: string | undefined): { readonly url?: string } {
  const url = shortUrl(text);
  return url === undefined ? {} : { url };
}

function shortUrl(text: string | undefined): string | undefined {
  const url = webUrl(text ?? "");
  return url === undefined || url.length > URL_CHARS ? undefined : url;
}

/**
 * The maximum size of one message of a digest. A receiver may have several limits: `budgets` holds
 * one number for each, and `costs` returns what a line uses of each.
 */
export interface LineLimits {
  readonly costs: (line: RichLine) => readonly number[];
  readonly budgets: readonly number[];
}

/**
 * Renders a digest: a line with a link for each alert, in as many messages as needed. `seal` turns
 * lines into the body of one message.
 */
export function* richDigest(
  digest: Digest,
  { costs, budgets }: LineLimits,
  seal: (lines: readonly RichLine[], isFirst: boolean) => Json,
): Generator<DigestPart, void> {
  const notes = noteLines(digest);
  const heading: RichLine = {
    kind: "heading",
    spans: [{ text: headingWithin(digest, HEADING_CHARS), isBold: true }],
  };
  const range = (first: number, count: number): RichLine => ({
    kind: "heading",
    spans: [{ text: digestRange(digest, first, count) }],
  });
  const without = (frame: readonly RichLine[]) => {
    const taken = frame.map(costs);
    return budgets.map(
      (budget, index) => budget - taken.reduce((sum, cost) => sum + (cost[index] ?? 0), 0),
    );
  };
  const pages = digestPages(digest, {
    lineOf: rowLine,
    costs,
    first: without([heading, ...notes]),
    further: without([range(100_000, 100_000)]),
  });
  let next = 1;
  for (const { lines, events } of pages) {
    const body =
      next === 1
        ? seal([heading, ...lines, ...notes], true)
        : seal([range(next, events.length), ...lines], false);
    next += events.length;
    yield { events, body };
  }
}

/** Returns the heading of a digest with at most `limit` characters. */
export const headingWithin = (digest: Digest, limit: number): string =>
  trimText(cleanLine(digestHeading(digest, (text) => cleanLine(text).length <= limit)), limit);

function rowLine(row: DigestRow): RichLine {
  if (row.kind === "section")
    return {
      kind: "section",
      isApart: true,
      spans: [{ text: trimText(cleanLine(row.text), LABEL_CHARS), isBold: true }],
    };
  if (row.kind === "people")
    return { kind: "item", spans: [{ text: trimText(cleanLine(row.text), LABEL_CHARS) }] };
  const indent = row.isIndented ? INDENT : "";
  if (row.kind === "more") return { kind: "item", spans: [{ text: `${indent}${row.text}` }] };
  const { line, value, isInner } = row;
  const name = trimText(cleanLine(line.label), NAME_CHARS) || (row.events[0]?.event.subject ?? "");
  const said = trimText(cleanLine(line.words), WORDS_CHARS);
  const words = isInner && said !== "" ? ` · ${said}` : said === "" ? "" : ` ${said}`;
  const mark = value === "" ? `${indent}• ` : `${indent}• ${cleanLine(value)}  `;
  const spans: readonly Span[] = [
    { text: mark },
    { text: name, ...link(line.url) },
    { text: words },
  ];
  return { kind: "item", spans: spans.filter(({ text }) => text !== "") };
}

const noteLines = (digest: Digest): readonly RichLine[] =>
  digestNotes(digest).map(({ said, where }): RichLine => {
    const place: readonly Span[] =
      where === "" ? [] : [isPage(where) ? { text: where, url: where } : { text: where }];
    return {
      kind: "heading",
      spans: [{ text: place.length === 0 ? said : `${said} ` }, ...place],
    };
  });

/** Returns the line that announces that alerts are collected and sent together at `nextAtMs`. */
export const announcementLine = (nextAtMs: number): RichLine => ({
  kind: "heading",
  spans: [
    { text: "Many at once", isBold: true },
    { text: `: next summary at ${spellTime(nextAtMs, {}, "time")}` },
  ],
});

/** Returns the line as plain text, with each link after the text that it belongs to. */
export const plainLine = ({ spans }: RichLine): string =>
  spans
    .map(({ text, url }) => (url === undefined || text === url ? text : `${text} ${url}`))
    .join("");
