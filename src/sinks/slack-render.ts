/** What a Slack message looks like: a card of blocks for one alert, a list for many, and the plain text beside both. Pure; sending is slack.ts. */
import type { NeutralMessage } from "../model/message.ts";
import type { Batch } from "../model/sink.ts";
import { packForms } from "../render/pack-forms.ts";
import { webUrl } from "../render/permalink.ts";
import { factLine, headingOf, plainMessage, summaryLine, watchLine } from "../render/plain-message.ts";
import { slackLabel, slackLink, slackLiteral, slackText } from "../render/slack-text.ts";
import { titleParts } from "../render/title-parts.ts";

/** https://docs.slack.dev/reference/methods/chat.postMessage#truncating */
export const SLACK_TEXT_CHARS = 40_000;
/** https://docs.slack.dev/reference/block-kit/blocks/section-block; rich_text names no limit of its own, so it gets the same. */
const SECTION_CHARS = 3_000;
/** https://docs.slack.dev/reference/block-kit/blocks */
const BLOCKS = 50;
/** Over all blocks `msg_blocks_too_long` starts at about this; counted as JSON, which is longer than what Slack counts. */
const BLOCKS_CHARS = 13_000;
const CONTEXT_CHARS = 600;
const LABEL_CHARS = 150;
const URL_CHARS = 1_000;
const MOST_CARDS = 5;
/** Every link is a piece of its own; the links after these stay plain text. */
const MOST_LINKS = 10;
const BARE_LINK = /https?:\/\/[^\s<>"|]+[^\s<>"|.,:;!?')\]]/g;

export type SlackBlock = { readonly type: string; readonly [key: string]: unknown };
type Piece =
  | { readonly type: "text"; readonly text: string; readonly style?: object }
  | { readonly type: "link"; readonly url: string; readonly text?: string };

/** What is sealed: the fallback included, because `render` is not asked again. */
export interface SlackBody {
  readonly text: string;
  readonly blocks: readonly SlackBlock[];
}

export function renderSlack(batch: Batch): SlackBody {
  const entries = batch.events.map((event) => ({ id: event.event.subject || event.event.id, message: batch.read(event) }));
  return { text: textOf(batch, entries), blocks: cards(batch, entries) ?? list(batch, entries) };
}

interface Entry {
  readonly id: string;
  readonly message: NeutralMessage;
}

const size = (value: unknown): number => JSON.stringify(value).length;
const fits = (blocks: readonly SlackBlock[]): boolean => blocks.length <= BLOCKS && size(blocks) <= BLOCKS_CHARS;

// ---- cards ---------------------------------------------------------------------------------------------------------

function cards(batch: Batch, entries: readonly Entry[]): readonly SlackBlock[] | undefined {
  if (batch.digest || entries.length > MOST_CARDS) return undefined;
  for (const bodyChars of [SECTION_CHARS, 1_200, 400]) {
    const blocks = [
      ...headingBlocks(batch),
      ...entries.flatMap(({ message }, index) => [...(index === 0 ? [] : [{ type: "divider" }]), ...card(message, bodyChars)]),
    ];
    if (fits(blocks)) return blocks;
  }
  return undefined;
}

const headingBlocks = (batch: Batch): readonly SlackBlock[] =>
  headingOf(batch) === "" ? [] : [context([mrkdwn(`*${slackLabel(headingOf(batch), LABEL_CHARS)}*`)])];

function card(message: NeutralMessage, bodyChars: number): readonly SlackBlock[] {
  const text = bodyBlock(message, bodyChars);
  const picture = pictureOf(message);
  return [titleBlock(message), ...(text === undefined ? [] : [text]), ...(picture === undefined ? [] : [picture]), footerBlock(message)];
}

function titleBlock(message: NeutralMessage): SlackBlock {
  const { before, author, after } = titleParts(message);
  const avatar = imageUrl(message.author?.avatarUrl);
  const profile = webUrl(message.author?.url ?? "");
  const name = author === "" ? "" : profile === undefined ? slackLabel(author, LABEL_CHARS) : slackLink(profile, author, LABEL_CHARS);
  const line = [slackLabel(before, LABEL_CHARS), name === "" ? "" : `*${name}*`, slackLabel(after, LABEL_CHARS)]
    .filter((part) => part !== "")
    .join(" ");
  const alt = slackLiteral(message.author?.name ?? "", LABEL_CHARS) || "avatar";
  return context([...(avatar === undefined ? [] : [{ type: "image", image_url: avatar, alt_text: alt }]), mrkdwn(line || "Alert")]);
}

/** rich_text shows text letter by letter: no escape to forget and no format to break out of. */
function bodyBlock(message: NeutralMessage, bodyChars: number): SlackBlock | undefined {
  const body = slackLiteral(message.body, bodyChars).trim();
  const sections = [
    ...(body === "" ? [] : [{ type: "rich_text_section", elements: linked(body) }]),
    ...quoteOf(message, Math.min(CONTEXT_CHARS, bodyChars)),
  ];
  return sections.length === 0 ? undefined : { type: "rich_text", elements: sections };
}

function quoteOf({ context: other }: NeutralMessage, limit: number): readonly object[] {
  if (other === undefined) return [];
  const label = slackLiteral(other.label.replace(/\s+/g, " "), LABEL_CHARS).trim() || "this post";
  const url = webUrl(other.url ?? "");
  const body = slackLiteral(other.body, limit).trim();
  const head: Piece = url === undefined ? { type: "text", text: label, style: { bold: true } } : { type: "link", url, text: label };
  return [{ type: "rich_text_quote", elements: [head, ...(body === "" ? [] : [{ type: "text", text: `\n${body}` }])] }];
}

function linked(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const found of [...text.matchAll(BARE_LINK)].slice(0, MOST_LINKS)) {
    const url = webUrl(found[0]);
    if (url === undefined || url.length > URL_CHARS) continue;
    if (found.index > from) pieces.push({ type: "text", text: text.slice(from, found.index) });
    pieces.push(url === found[0] ? { type: "link", url } : { type: "link", url, text: found[0] });
    from = found.index + found[0].length;
  }
  if (from < text.length) pieces.push({ type: "text", text: text.slice(from) });
  return pieces;
}

function pictureOf({ media, author }: NeutralMessage): SlackBlock | undefined {
  const url = media.map((one) => imageUrl(one.url)).find((one) => one !== undefined);
  if (url === undefined) return undefined;
  const from = slackLiteral(author?.name ?? "", LABEL_CHARS);
  return { type: "image", image_url: url, alt_text: from === "" ? "picture" : `picture posted by ${from}` };
}

function footerBlock(message: NeutralMessage): SlackBlock {
  const link = webUrl(message.url ?? "");
  const hidden = message.media.length - 1;
  const parts = [
    link === undefined ? "" : slackLink(link, "Open", LABEL_CHARS),
    dateToken(message.occurredAtMs),
    slackLabel(factLine(message), LABEL_CHARS),
    hidden > 0 ? `+${hidden} more media` : "",
    message.severity === "info" ? "" : slackLabel(message.severity, LABEL_CHARS),
    slackLabel(watchLine(message), LABEL_CHARS),
  ];
  return context([mrkdwn(parts.filter((part) => part !== "").join("  ·  "))]);
}

/** Shown in the reader's own time zone: https://docs.slack.dev/messaging/formatting-message-text#date-formatting */
function dateToken(epochMs: number): string {
  const fallback = `${new Date(epochMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return `<!date^${Math.floor(epochMs / 1_000)}^{date_short_pretty} {time}|${fallback}>`;
}

/** `verbatim`: nothing in it becomes a link or a mention by itself. */
const mrkdwn = (text: string): SlackBlock => ({ type: "mrkdwn", text, verbatim: true });
const context = (elements: readonly SlackBlock[]): SlackBlock => ({ type: "context", elements });

function imageUrl(text: string | undefined): string | undefined {
  const url = webUrl(text ?? "");
  return url === undefined || url.length > URL_CHARS ? undefined : url;
}

// ---- lists ---------------------------------------------------------------------------------------------------------

/** One line each, then only permalinks, then only ids: whatever still names every alert. */
function list(batch: Batch, entries: readonly Entry[]): readonly SlackBlock[] {
  const heading = headingBlocks(batch);
  for (let budget = BLOCKS_CHARS - size(heading) - 600; ; budget = Math.floor(budget * 0.8)) {
    const { shown, left } = packForms(entries.map(lineForms), budget, lineCost);
    const blocks = [...heading, ...richTexts([...shown, ...(left === 0 ? [] : [[{ type: "text", text: `and ${left} more\n` } as const]])])];
    if (fits(blocks) || budget < 100) return blocks;
  }
}

function lineForms({ id, message }: Entry): readonly (readonly Piece[])[] {
  const url = webUrl(message.url ?? "");
  const bare: readonly Piece[] = [{ type: "text", text: `${slackLiteral(id, 64)}\n` }];
  if (url === undefined) return [[{ type: "text", text: `• ${slackLiteral(summaryLine(message), 280)}\n` }], bare];
  const rest = message.body === "" ? "\n" : ` ${slackLiteral(message.body.replace(/\s+/g, " "), 160)}\n`;
  const title = slackLiteral(message.title.replace(/\s+/g, " "), LABEL_CHARS) || id;
  return [
    [
      { type: "text", text: "• " },
      { type: "link", url, text: title },
      { type: "text", text: rest },
    ],
    [
      { type: "link", url },
      { type: "text", text: "\n" },
    ],
    bare,
  ];
}

/** A lone text is merged with its neighbours: it costs its letters only. */
function lineCost(line: readonly Piece[]): number {
  const [only] = line;
  return line.length === 1 && only?.type === "text" ? size(only.text) : size(line);
}

/** Blocks of one section each, cut between lines, none longer than a section. */
function richTexts(lines: readonly (readonly Piece[])[]): readonly SlackBlock[] {
  const sections: Piece[][] = [];
  let chars = Number.POSITIVE_INFINITY;
  for (const line of lines) {
    const more = line.reduce((sum, piece) => sum + (piece.text ?? ("url" in piece ? piece.url : "")).length, 0);
    if (chars + more > SECTION_CHARS) sections.push([]);
    chars = chars + more > SECTION_CHARS ? more : chars + more;
    for (const piece of line) append(sections.at(-1) ?? [], piece);
  }
  return sections.map((elements) => ({ type: "rich_text", elements: [{ type: "rich_text_section", elements }] }));
}

function append(section: Piece[], piece: Piece): void {
  const last = section.at(-1);
  if (last?.type === "text" && piece.type === "text") section[section.length - 1] = { type: "text", text: last.text + piece.text };
  else section.push(piece);
}

// ---- text ----------------------------------------------------------------------------------------------------------

/** For notifications, screen readers, and as the whole message when Slack refuses the blocks. */
function textOf(batch: Batch, entries: readonly Entry[]): string {
  const heading = headingOf(batch);
  const [only] = entries;
  if (entries.length === 1 && only !== undefined) {
    const link = slackText(only.message.url ?? "", URL_CHARS);
    const body = slackText(
      [heading, plainMessage(only.message)].filter((line) => line !== "").join("\n"),
      SLACK_TEXT_CHARS - URL_CHARS - 1,
    );
    return link === "" ? body : `${body}\n${link}`;
  }
  const forms = entries.map(({ id, message }) => {
    const link = slackText(message.url ?? id, URL_CHARS);
    return [`• ${slackText(summaryLine(message), 280)}\n${link}`, link, slackText(id, 64)];
  });
  const { shown, left } = packForms(forms, SLACK_TEXT_CHARS - 400, (line) => line.length + 1);
  return [slackText(heading, 300), ...shown, ...(left === 0 ? [] : [`and ${left} more`])].filter((line) => line !== "").join("\n");
}
