/**
 * Alerts and digests as lines of text with links, for sinks that have no layout of their own: what each line says, before any sink escapes,
 * measures or decorates it. Slack and Discord lay out their own blocks.
 */
import type { NeutralMessage } from "../model/message.ts";
import type { Batch, Digest, DigestPart, OutboxEvent } from "../model/sink.ts";
import type { Json } from "../model/json.ts";
import { digestHeading, digestLine, digestRange, digestRemainder, digestTopHeading, isPage } from "./digest-text.ts";
import { factLine, headingOf, watchLine } from "./messages/plain-message.ts";
import { titleParts } from "./messages/title-parts.ts";
import { cleanLine, cleanText } from "./text/clean-text.ts";
import { webUrl } from "./text/permalink.ts";
import { spellTime } from "./text/times.ts";
import { splitDigest } from "./text/split-lines.ts";
import { trimText } from "./text/trim-text.ts";

export interface Span {
  /** Clean, not escaped. Only a body and a quote have line ends in them. */
  readonly text: string;
  /** Http or https. */
  readonly url?: string;
  readonly isBold?: boolean;
}

export interface RichLine {
  readonly kind: "heading" | "title" | "body" | "quote" | "footer" | "item";
  readonly spans: readonly Span[];
}

/** One alert: its lines, its picture, and how urgent it is. */
export interface RichCard {
  readonly lines: readonly RichLine[];
  readonly imageUrl: string | undefined;
  readonly severity: string;
}

const LABEL_CHARS = 150;
const FACTS_CHARS = 300;
const QUOTE_CHARS = 600;
const URL_CHARS = 1_000;
/** Of an item of a list. */
const NAME_CHARS = 60;
const WORDS_CHARS = 110;

/** From a whole long post down to its first words. */
const BODY_CHARS = [25_000, 12_000, 8_000, 5_000, 3_600, 3_000, 2_400, 1_800, 1_200, 800, 400, 150, 40];

/**
 * The alerts of a batch, each with as much of its text as fits: `fits` measures what the sink would make of the cards. Where not even the
 * first words do, each is a line with its link.
 */
export function fitCards(batch: Batch, fits: (cards: readonly RichCard[]) => boolean): readonly RichCard[] {
  const messages = batch.events.map((event) => batch.read(event));
  for (const bodyChars of BODY_CHARS) {
    const cards = messages.map((message) => cardOf(message, bodyChars));
    if (fits(cards)) return cards;
  }
  return messages.map((message) => ({ lines: [shortFooter(message)], imageUrl: undefined, severity: message.severity }));
}

/** Above all cards; undefined when one alert speaks for itself. */
export function headingLine(batch: Batch): RichLine | undefined {
  const heading = headingOf(batch);
  return heading === "" ? undefined : { kind: "heading", spans: [{ text: heading, isBold: true }] };
}

function cardOf(message: NeutralMessage, bodyChars: number): RichCard {
  const body = trimText(cleanText(message.body).trim(), bodyChars);
  return {
    lines: [
      titleLine(message),
      ...(body === "" ? [] : [{ kind: "body", spans: [{ text: body }] } as const]),
      ...quoteLines(message, Math.min(QUOTE_CHARS, bodyChars)),
      footerLine(message),
    ],
    imageUrl: message.media.map(({ url }) => shortUrl(url)).find((url) => url !== undefined),
    severity: message.severity,
  };
}

function titleLine(message: NeutralMessage): RichLine {
  const { before, author, after } = titleParts(message);
  const label = (text: string) => trimText(text.replace(/\s+/g, " "), LABEL_CHARS);
  const [first, name, rest] = [before, author, after].map((part) => label(cleanText(part)));
  const spans = [{ text: first ?? "" }, { text: name ?? "", isBold: true, ...link(message.author?.url) }, { text: rest ?? "" }];
  const shown = spans.filter(({ text }) => text !== "");
  return { kind: "title", spans: shown.some(({ text }) => text.trim() !== "") ? shown : [{ text: "Alert", isBold: true }] };
}

function quoteLines({ context }: NeutralMessage, limit: number): readonly RichLine[] {
  if (context === undefined) return [];
  const label = trimText(cleanLine(context.label), LABEL_CHARS) || "this post";
  const body = trimText(cleanText(context.body).trim(), limit);
  return [{ kind: "quote", spans: [{ text: label, ...link(context.url) }, ...(body === "" ? [] : [{ text: `\n${body}` }])] }];
}

function footerLine(message: NeutralMessage): RichLine {
  const facts = trimText(cleanLine(factLine(message)), FACTS_CHARS);
  const watches = trimText(cleanLine(watchLine(message)), FACTS_CHARS);
  const severity = message.severity === "info" ? "" : message.severity;
  const rest = [message.occurredAt ?? spellTime(message.occurredAtMs), facts, severity, watches]
    .filter((part) => part !== "")
    .join("  ·  ");
  return { kind: "footer", spans: [...openLink(message), { text: rest }] };
}

/** What is left of an alert where there is no room. */
function shortFooter(message: NeutralMessage): RichLine {
  const title = trimText(cleanLine(message.title), NAME_CHARS) || "Alert";
  return { kind: "footer", spans: [{ text: title, ...link(message.url) }] };
}

const openLink = ({ url }: NeutralMessage): readonly Span[] =>
  link(url).url === undefined ? [] : [{ text: "Open", ...link(url) }, { text: "  ·  " }];

function link(text: string | undefined): { readonly url?: string } {
  const url = shortUrl(text);
  return url === undefined ? {} : { url };
}

function shortUrl(text: string | undefined): string | undefined {
  const url = webUrl(text ?? "");
  return url === undefined || url.length > URL_CHARS ? undefined : url;
}

/** How large one message of a digest may be, in as many units as the receiver counts. */
export interface LineLimits {
  readonly costs: (line: RichLine) => readonly number[];
  readonly budgets: readonly number[];
}

/** A line with a link for each alert, as many messages as it takes. `seal` makes the body of one. */
export function richDigest(
  digest: Digest,
  { costs, budgets }: LineLimits,
  seal: (lines: readonly RichLine[], isFirst: boolean) => Json,
): readonly DigestPart[] {
  const remainder = remainderLines(digest);
  const heading = [
    { kind: "heading", spans: [{ text: cleanLine(digestHeading(digest)), isBold: true }] },
    ...(digestTopHeading(digest) === "" ? [] : [{ kind: "heading", spans: [{ text: digestTopHeading(digest) }] } as const]),
  ] as const;
  const frame = [...heading, ...remainder].map(costs);
  const left = budgets.map((budget, index) => budget - frame.reduce((sum, cost) => sum + (cost[index] ?? 0), 0));
  const lineOf = (event: OutboxEvent) => ({ event, line: itemLine(digest, event) });
  const messages = splitDigest(digest.top.map(lineOf), digest.rest.map(lineOf), ({ line }) => costs(line), left);
  let next = 1;
  return messages.map((items, index) => {
    const range: RichLine = { kind: "heading", spans: [{ text: digestRange(digest, next, items.length) }] };
    next += items.length;
    const lines = items.map(({ line }) => line);
    const body = index === 0 ? seal([...heading, ...lines, ...remainder], true) : seal([range, ...lines], false);
    return { events: items.map(({ event }) => event), body };
  });
}

function itemLine(digest: Digest, alert: OutboxEvent): RichLine {
  const { event } = alert;
  const { label, words, url } = digestLine(digest.read(alert));
  const name = trimText(cleanLine(label), NAME_CHARS) || event.subject;
  const said = trimText(cleanLine(words), WORDS_CHARS);
  const spans: readonly Span[] = [
    { text: "• " },
    { text: name, ...(url === undefined ? {} : { url }) },
    { text: said === "" ? "" : ` ${said}` },
  ];
  return { kind: "item", spans: spans.filter(({ text }) => text !== "") };
}

function remainderLines(digest: Digest): readonly RichLine[] {
  const said = digestRemainder(digest);
  if (said === undefined) return [];
  const where = digest.unlisted?.where ?? "";
  const place: readonly Span[] = where === "" ? [] : [isPage(where) ? { text: where, url: where } : { text: where }];
  return [{ kind: "heading", spans: [{ text: place.length === 0 ? said : `${said} ` }, ...place] }];
}

/** What people read when alerts are gathered from now on. */
export const announcementLine = (nextAtMs: number): RichLine => ({
  kind: "heading",
  spans: [{ text: "Many at once", isBold: true }, { text: `: next summary at ${spellTime(nextAtMs, {}, "time")}` }],
});

/** The same as plain text: a link stands behind what it belongs to. */
export const plainLine = ({ spans }: RichLine): string =>
  spans.map(({ text, url }) => (url === undefined || text === url ? text : `${text} ${url}`)).join("");
