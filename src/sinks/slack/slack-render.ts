/**
 * Lays out a Slack message: blocks for each alert, and a plain text for notifications.
 * `slack-digest.ts` lays out lists, `slack.ts` sends. Pure.
 */
import type { NeutralMessage } from "../../model/message.ts";
import type { Batch } from "../../model/sink.ts";
import type { Moment } from "../../model/template.ts";
import { fitPieces } from "../../render/text/fit-pieces.ts";
import { webUrl } from "../../render/text/permalink.ts";
import { cardsOf, MAX_PEOPLE } from "../../render/people.ts";
import { moreText, shorterList } from "../../render/text/people-text.ts";
import {
  factLine,
  headingOf,
  plainMessage,
  summaryLine,
  watchLine,
} from "../../render/messages/plain-message.ts";
import { slackLabel, slackLink, slackLiteral, slackText } from "../../render/slack-text.ts";
import { titleParts } from "../../render/messages/title-parts.ts";
import {
  BLOCKS,
  BLOCKS_CHARS,
  context,
  dateToken,
  mentionBlocks,
  mrkdwn,
  SECTION_CHARS,
  size,
  SLACK_TEXT_CHARS,
  type SlackBlock,
  type SlackBody,
} from "./slack-blocks.ts";

const CONTEXT_CHARS = 600;
const LABEL_CHARS = 150;
/** The maximum length of a name in a list of accounts. */
const NAME_CHARS = 80;
const URL_CHARS = 1_000;
/** A message shows at most this many alerts in full. If there are more, they are sent as a list. */
export const MAX_CARDS = 5;
/**
 * The maximum number of links in a text, because every link is an element of its own. Further links
 * stay plain text.
 */
const MAX_LINKS = 10;
const BARE_LINK = /https?:\/\/[^\s<>"|]+[^\s<>"|.,:;!?')\]]/g;

type Piece =
  /** https://docs.slack.dev/reference/block-kit/blocks/rich-text-block#date-element-type */
  | {
      readonly type: "date";
      readonly timestamp: number;
      readonly format: string;
      readonly fallback: string;
    }
  | { readonly type: "text"; readonly text: string; readonly style?: object }
  | { readonly type: "link"; readonly url: string; readonly text?: string };

/**
 * Renders a message with at most `MAX_CARDS` alerts. Its blocks leave `reservedChars` free.
 */
export function renderSlack(batch: Batch, reservedChars = 0): SlackBody {
  const messages = cardsOf(batch).map(({ message }) => message);
  const mentions = (batch.mentions ?? []).map((mention) => `${mention} `).join("");
  return {
    text: `${mentions}${textOf(batch, messages, SLACK_TEXT_CHARS - mentions.length)}`,
    blocks: cards(batch, messages, reservedChars),
    ...(batch.isFollowUp === true ? { isReply: true } : {}),
  };
}

const fits = (blocks: readonly SlackBlock[], reservedChars: number): boolean =>
  blocks.length + (reservedChars > 0 ? 1 : 0) <= BLOCKS &&
  size(blocks) + reservedChars <= BLOCKS_CHARS;

// ---- cards
// ----------------------------------------------------------------------------

interface Layout {
  readonly bodyChars: number;
  /** The maximum number of pictures that are shown for each alert. */
  readonly pictures: number;
  /** The maximum number of accounts that are named in each alert's list. */
  readonly people: number;
}

/**
 * The number of pictures that one post can have on the platform. The service documents no limit, so
 * an answer may contain more.
 */
const USUAL_PICTURES = 4;
const LAYOUTS: readonly Layout[] = [
  { bodyChars: SECTION_CHARS, pictures: BLOCKS, people: MAX_PEOPLE },
  { bodyChars: 1_200, pictures: BLOCKS, people: MAX_PEOPLE },
  { bodyChars: 400, pictures: BLOCKS, people: 10 },
  { bodyChars: 400, pictures: USUAL_PICTURES, people: 10 },
  { bodyChars: 400, pictures: 1, people: 5 },
  { bodyChars: 150, pictures: 1, people: 5 },
  { bodyChars: 150, pictures: 1, people: 0 },
];

/**
 * Returns the blocks of the alerts in the first layout, from the most detailed one on, that fits
 * into a message. The more alerts there are, the less is shown of each.
 */
function cards(
  batch: Batch,
  messages: readonly NeutralMessage[],
  reservedChars: number,
): readonly SlackBlock[] {
  const above = [...mentionBlocks(batch.mentions), ...headingBlocks(batch, messages.length)];
  const laidOut = LAYOUTS.map((layout) => [
    ...above,
    ...messages.flatMap((message, index) => [
      ...(index === 0 ? [] : [{ type: "divider" }]),
      ...card(message, layout),
    ]),
  ]);
  const found = laidOut.find((blocks) => fits(blocks, reservedChars));
  return found ?? [...above, ...messages.flatMap((message) => footerBlocks(message, 0))];
}

function headingBlocks(batch: Batch, count: number): readonly SlackBlock[] {
  const heading = headingOf(batch, count);
  return heading === "" ? [] : [context([mrkdwn(`*${slackLabel(heading, LABEL_CHARS)}*`)])];
}

function card(message: NeutralMessage, layout: Layout): readonly SlackBlock[] {
  const text = bodyBlock(message, layout);
  const pictures = pictureBlocks(message, layout.pictures);
  return [
    titleBlock(message),
    ...(text === undefined ? [] : [text]),
    ...pictures,
    ...footerBlocks(message, pictures.length),
  ];
}

function titleBlock(message: NeutralMessage): SlackBlock {
  const { before, author, after } = titleParts(message);
  const avatar = shortUrl(message.author?.avatarUrl);
  const profile = webUrl(message.author?.url ?? "");
  const name =
    author === ""
      ? ""
      : profile === undefined
        ? slackLabel(author, LABEL_CHARS)
        : slackLink(profile, author, LABEL_CHARS);
  const line = [
    slackLabel(before, LABEL_CHARS),
    name === "" ? "" : `*${name}*`,
    slackLabel(after, LABEL_CHARS),
  ]
    .filter((part) => part !== "")
    .join(" ")
    .replace(/(?<=\*) (?=[:,])/, "");
  const alt = slackLiteral(message.author?.name ?? "", LABEL_CHARS) || "avatar";
  return context([
    ...(avatar === undefined ? [] : [{ type: "image", image_url: avatar, alt_text: alt }]),
    mrkdwn(author === "" ? `*${line || "Alert"}*` : line),
  ]);
}

/**
 * Returns the block with the alert's text, list and quote. A rich_text block shows texts literally,
 * so nothing must be escaped and no formatting can be injected.
 */
function bodyBlock(message: NeutralMessage, { bodyChars, people }: Layout): SlackBlock | undefined {
  const [text, list] = [bodyPieces(message, bodyChars), listPieces(message, people)];
  const between: readonly Piece[] =
    text.length === 0 || list.length === 0 ? [] : [{ type: "text", text: "\n" }];
  const elements = [...text, ...between, ...list];
  const sections = [
    ...(elements.length === 0 ? [] : [{ type: "rich_text_section", elements }]),
    ...quoteOf(message, Math.min(CONTEXT_CHARS, bodyChars)),
  ];
  return sections.length === 0 ? undefined : { type: "rich_text", elements: sections };
}

function bodyPieces({ body, bodyPieces: pieces }: NeutralMessage, limit: number): readonly Piece[] {
  if (pieces === undefined) {
    const text = slackLiteral(body, limit).trim();
    return text === "" ? [] : linked(text);
  }
  const moment = (one: Moment) => ({ shown: [datePiece(one)], units: one.text.length });
  return fitPieces(pieces, limit, { text: slackLiteral, show: linked, moment }).flat();
}

/** Returns a line for each account, with its name as a link. */
function listPieces({ list }: NeutralMessage, most: number): readonly Piece[] {
  if (list === undefined) return [];
  const shown = shorterList(list, most);
  const lines = shown.people.map(({ name, url, note }): readonly Piece[] => {
    const label = slackLiteral(name.replace(/\s+/g, " "), NAME_CHARS).trim() || "?";
    const profile = webUrl(url);
    const link: Piece =
      profile === undefined || profile.length > URL_CHARS
        ? { type: "text", text: label }
        : { type: "link", url: profile, text: label };
    const said = slackLiteral(note, NAME_CHARS);
    const bullet: Piece = { type: "text", text: "• " };
    return said === "" ? [bullet, link] : [bullet, link, { type: "text", text: ` · ${said}` }];
  });
  const more = moreText(shown);
  return [...lines, ...(more === "" ? [] : [[{ type: "text", text: more } as const]])].flatMap(
    (line, index): readonly Piece[] =>
      index === 0 ? line : [{ type: "text", text: "\n" }, ...line],
  );
}

const DATE_FORMATS: Readonly<Record<Moment["style"], string>> = {
  datetime: "{date_short_pretty} {time}",
  date: "{date_short}",
  time: "{time}",
  relative: "{ago}",
};

const datePiece = ({ atMs, style, text }: Moment): Piece => ({
  type: "date",
  timestamp: Math.floor(atMs / 1_000),
  format: DATE_FORMATS[style],
  fallback: text,
});

function quoteOf({ context: other }: NeutralMessage, limit: number): readonly object[] {
  if (other === undefined) return [];
  const label = slackLiteral(other.label.replace(/\s+/g, " "), LABEL_CHARS).trim() || "this post";
  const url = webUrl(other.url ?? "");
  const body = slackLiteral(other.body, limit).trim();
  if (body === "") return [];
  const head: Piece =
    url === undefined
      ? { type: "text", text: label, style: { bold: true } }
      : { type: "link", url, text: label };
  return [
    {
      type: "rich_text_quote",
      elements: [head, { type: "text", text: `\n${body}` }],
    },
  ];
}

function linked(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const found of [...text.matchAll(BARE_LINK)].slice(0, MAX_LINKS)) {
    const url = webUrl(found[0]);
    if (url === undefined || url.length > URL_CHARS) continue;
    if (found.index > from) pieces.push({ type: "text", text: text.slice(from, found.index) });
    pieces.push(url === found[0] ? { type: "link", url } : { type: "link", url, text: found[0] });
    from = found.index + found[0].length;
  }
  if (from < text.length) pieces.push({ type: "text", text: text.slice(from) });
  return pieces;
}

function pictureBlocks({ media, author }: NeutralMessage, most: number): readonly SlackBlock[] {
  const urls = media.flatMap(({ url }) => shortUrl(url) ?? []).slice(0, most);
  const from = slackLiteral(author?.name ?? "", LABEL_CHARS);
  return urls.map((url, index) => {
    const which = urls.length === 1 ? "picture" : `picture ${index + 1} of ${urls.length}`;
    return {
      type: "image",
      image_url: url,
      alt_text: from === "" ? which : `${which} posted by ${from}`,
    };
  });
}

function footerBlocks(message: NeutralMessage, pictures: number): readonly SlackBlock[] {
  const [link, act] = [webUrl(message.url ?? ""), shortUrl(message.actionsUrl)];
  const hidden = message.media.length - pictures;
  const parts = [
    link === undefined ? "" : slackLink(link, "Open", LABEL_CHARS),
    contextLink(message),
    act === undefined ? "" : slackLink(act, "Act on it", LABEL_CHARS),
    message.isTimed === false ? "" : dateOf(message.occurredAtMs),
    slackLabel(factLine(message), LABEL_CHARS),
    hidden > 0 ? `+${hidden} more media` : "",
    message.severity === "info" ? "" : slackLabel(message.severity, LABEL_CHARS),
    slackLabel(watchLine(message), LABEL_CHARS),
  ].filter((part) => part !== "");
  return parts.length === 0 ? [] : [context([mrkdwn(parts.join("  ·  "))])];
}

/** Returns the link to a related post that has no text to quote; "" if there is none. */
function contextLink({ context: other }: NeutralMessage): string {
  const url = shortUrl(other?.url);
  return other === undefined || other.body !== "" || url === undefined
    ? ""
    : slackLink(url, other.label, NAME_CHARS);
}

const dateOf = (epochMs: number): string =>
  dateToken(
    epochMs,
    "{date_short_pretty} {time}",
    `${new Date(epochMs).toISOString().slice(0, 16).replace("T", " ")} UTC`,
  );

function shortUrl(text: string | undefined): string | undefined {
  const url = webUrl(text ?? "");
  return url === undefined || url.length > URL_CHARS ? undefined : url;
}

// ---- text
// ----------------------------------------------------------------------------

/**
 * Returns the plain text of a message. Slack shows it in notifications and to screen readers, and
 * it is the whole message if Slack refuses the blocks.
 */
function textOf(batch: Batch, messages: readonly NeutralMessage[], room: number): string {
  const heading = headingOf(batch, messages.length);
  const [only] = messages;
  if (messages.length === 1 && only !== undefined) {
    const link = slackText(only.url ?? "", URL_CHARS);
    const body = slackText(
      [heading, plainMessage(only)].filter((line) => line !== "").join("\n"),
      room - URL_CHARS - 1,
    );
    return link === "" ? body : `${body}\n${link}`;
  }
  const lines = messages.map((message) =>
    `• ${slackText(summaryLine(message), 280)}\n${slackText(message.url ?? "", URL_CHARS)}`.trimEnd(),
  );
  return [slackText(heading, 300), ...lines].join("\n");
}
