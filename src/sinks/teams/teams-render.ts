/**
 * Lays out a Teams message: an Adaptive Card that consists of rich text blocks, in which Teams does
 * not interpret markdown. Pure.
 */
import type { JsonObject } from "../../model/json.ts";
import type { Batch, Digest, DigestPart } from "../../model/sink.ts";
import {
  announcementLine,
  fitCards,
  headingLine,
  type RichCard,
  type RichLine,
  richDigest,
  type Span,
} from "../../render/rich-lines.ts";
import { ownValue } from "../../model/own-value.ts";

/**
 * The maximum size of a message: about 28 KB, which Teams counts in UTF-16.
 * https://learn.microsoft.com/en-us/connectors/teams/#known-issues-and-limitations-with-actions
 */
const MESSAGE_BYTES = 28 * 1_024;
/** A message shows at most this many alerts in full. If there are more, they are sent as a list. */
export const MAX_TEAMS_CARDS = 5;
/** The maximum number of paragraphs of a text. Further paragraphs are appended to the last one. */
const PARAGRAPHS = 30;

const COLORS: Readonly<Record<string, string>> = { warning: "Warning", critical: "Attention" };

/** Returns the size of a message in bytes: as UTF-16 or as UTF-8, whichever is larger. */
const sizeOf = (content: JsonObject): number => {
  const text = JSON.stringify(content);
  return Math.max(2 * text.length, Buffer.byteLength(text));
};

/** Renders a message with at most `MAX_TEAMS_CARDS` alerts. */
export function renderTeams(batch: Batch): JsonObject {
  const heading = headingLine(batch);
  const layOut = (cards: readonly RichCard[]) =>
    messageOf([
      ...(heading === undefined ? [] : elementsOf(heading)),
      ...cards.flatMap((card, index) => cardElements(card, index > 0)),
    ]);
  return layOut(fitCards(batch, (cards) => sizeOf(layOut(cards)) <= MESSAGE_BYTES));
}

/**
 * Returns a message with a line below it. The line is left out if the message has no room for it,
 * because Teams refuses what is larger.
 */
export function withTeamsFooter(message: JsonObject, footer: string): JsonObject {
  const { attachments } = message as unknown as {
    readonly attachments: readonly [{ readonly content: { readonly body: readonly JsonObject[] } }];
  };
  const line = elementsOf({ kind: "footer", spans: [{ text: footer }] });
  const longer = messageOf([...attachments[0].content.body, ...line]);
  return sizeOf(longer) <= MESSAGE_BYTES ? longer : message;
}

export const renderTeamsDigest = (digest: Digest): Iterable<DigestPart> =>
  richDigest(
    digest,
    {
      costs: (line) => [elementsOf(line).reduce((sum, element) => sum + sizeOf(element) + 2, 0)],
      budgets: [MESSAGE_BYTES - sizeOf(messageOf([]))],
    },
    (lines) => messageOf(lines.flatMap((line) => elementsOf(line))),
  );

export const renderTeamsAnnouncement = (nextAtMs: number): JsonObject =>
  messageOf(elementsOf(announcementLine(nextAtMs)));

/**
 * Returns the message that a workflow's webhook accepts:
 * https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
 */
const messageOf = (body: readonly JsonObject[]): JsonObject => ({
  type: "message",
  attachments: [
    {
      contentType: "application/vnd.microsoft.card.adaptive",
      contentUrl: null,
      content: {
        $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
        type: "AdaptiveCard",
        version: "1.4",
        msteams: { width: "Full" },
        body,
      },
    },
  ],
});

function cardElements(
  { lines, imageUrl, severity }: RichCard,
  isSeparated: boolean,
): readonly JsonObject[] {
  const footer = lines.slice(-1).flatMap((line) => elementsOf(line));
  const above = lines.slice(0, -1).flatMap((line) => elementsOf(line, ownValue(COLORS, severity)));
  // Teams loads pictures only over https.
  const picture =
    imageUrl?.startsWith("https:") === true
      ? [{ type: "Image", url: imageUrl, altText: "picture of the post" }]
      : [];
  const [first, ...rest] = [...above, ...picture, ...footer];
  return first === undefined
    ? []
    : [isSeparated ? { ...first, separator: true, spacing: "Large" } : first, ...rest];
}

/**
 * Returns a block for each paragraph of a line. The paragraphs of a quote are put into a container
 * with a background of its own.
 */
function elementsOf({ kind, spans }: RichLine, color?: string): readonly JsonObject[] {
  const format = {
    ...FORMATS[kind],
    ...(kind === "title" && color !== undefined ? { color } : {}),
  };
  const blocks = paragraphsOf(spans).map((inlines) => ({
    type: "RichTextBlock",
    inlines: inlines.map((span) => runOf(span, format)),
  }));
  if (kind === "section") return blocks.map((block) => ({ ...block, spacing: "Large" }));
  return kind === "quote" ? [{ type: "Container", style: "emphasis", items: blocks }] : blocks;
}

const FORMATS: Readonly<Partial<Record<RichLine["kind"], JsonObject>>> = {
  footer: { size: "Small", isSubtle: true },
};

const runOf = ({ text, url, isBold }: Span, format: JsonObject): JsonObject => ({
  type: "TextRun",
  text: defuse(text),
  ...format,
  ...(isBold === true ? { weight: "Bolder" } : {}),
  ...(url === undefined ? {} : { selectAction: { type: "Action.OpenUrl", url } }),
});

/**
 * Inserts an invisible character into `{{`, with which Teams would begin a date to calculate, and
 * into `<at>`, with which it would begin a mention:
 * https://learn.microsoft.com/en-us/adaptive-cards/authoring-cards/text-features
 */
const defuse = (text: string): string =>
  text.replace(/\{(?=\{)/g, "{\u200b").replace(/<(?=\/?at\b)/gi, "<\u200b");

function paragraphsOf(spans: readonly Span[]): readonly (readonly Span[])[] {
  const paragraphs: Span[][] = [[]];
  for (const span of spans) {
    for (const [index, text] of span.text.split(/\n+/).entries()) {
      if (index > 0 && paragraphs.length < PARAGRAPHS) paragraphs.push([]);
      const isJoined = index > 0 && paragraphs.at(-1)?.length !== 0;
      if (text !== "") paragraphs.at(-1)?.push({ ...span, text: isJoined ? ` ${text}` : text });
    }
  }
  return paragraphs.filter(({ length }) => length > 0);
}
