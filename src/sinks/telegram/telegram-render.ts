/**
 * The layout of a Telegram message: text, and entities that say which part of it is bold, a link or
 * a quote. There is no markup to escape. Pure.
 */
import type { Json } from "../../model/json.ts";
import type { Batch, Digest, DigestPart } from "../../model/sink.ts";
import {
  announcementLine,
  fitCards,
  headingLine,
  type RichCard,
  type RichLine,
  richDigest,
} from "../../render/rich-lines.ts";
import { defuseHandles } from "../../render/text/defuse.ts";

/**
 * https://core.telegram.org/bots/api#sendmessage: after entities are parsed. Counted in UTF-16
 * units, which are never fewer than characters.
 */
const TEXT_CHARS = 4_096;
/**
 * https://core.telegram.org/api/entities: a message has at most a hundred; those beyond are
 * ignored.
 */
const ENTITIES = 100;
/** More alerts than these are a list. */
export const MAX_TELEGRAM_CARDS = 4;

/** https://core.telegram.org/bots/api#messageentity: offsets are UTF-16 units. */
type Entity = {
  readonly type: "bold" | "text_link" | "blockquote";
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
};

/** What is sealed. */
export type TelegramBody = {
  readonly text: string;
  readonly entities: readonly Entity[];
  /** Shown as a large picture below the text. */
  readonly picture?: string;
};

/** `batch` holds at most `MAX_TELEGRAM_CARDS` alerts. */
export function renderTelegram(batch: Batch): TelegramBody {
  const heading = headingLine(batch);
  const layOut = (cards: readonly RichCard[]) =>
    write([...(heading === undefined ? [] : [[heading]]), ...cards.map(({ lines }) => lines)]);
  const cards = fitCards(batch, (some) => fits(layOut(some)));
  const picture = cards.map(({ imageUrl }) => imageUrl).find((url) => url !== undefined);
  return { ...layOut(cards), ...(picture === undefined ? {} : { picture }) };
}

const fits = ({ text, entities }: TelegramBody): boolean =>
  text.length <= TEXT_CHARS && entities.length <= ENTITIES;

export const renderTelegramDigest = (digest: Digest): Iterable<DigestPart> =>
  richDigest(
    digest,
    {
      costs: (line) => {
        const { text, entities } = write([[line]]);
        return [text.length + (line.kind === "section" ? 2 : 1), entities.length];
      },
      budgets: [TEXT_CHARS, ENTITIES],
    },
    (lines): Json => write([lines]),
  );

export const renderTelegramAnnouncement = (nextAtMs: number): TelegramBody =>
  write([[announcementLine(nextAtMs)]]);

/** Groups of lines with an empty line between them. */
function write(groups: readonly (readonly RichLine[])[]): TelegramBody {
  const entities: Entity[] = [];
  let text = "";
  for (const [index, lines] of groups.entries()) {
    if (index > 0) text += "\n";
    for (const line of lines) {
      if (text !== "") text += line.kind === "section" ? "\n\n" : "\n";
      text = writeLine(line, text, entities);
    }
  }
  return { text, entities };
}

/** @returns the text with the line behind it; its entities are added to those that are there. */
function writeLine({ kind, spans }: RichLine, before: string, entities: Entity[]): string {
  let text = before;
  for (const { text: raw, url, isBold } of spans) {
    const shown = defuseHandles(raw);
    const range = { offset: text.length, length: shown.length };
    if (url !== undefined) entities.push({ type: "text_link", ...range, url });
    if (isBold === true) entities.push({ type: "bold", ...range });
    text += shown;
  }
  if (kind === "quote")
    entities.push({
      type: "blockquote",
      offset: before.length,
      length: text.length - before.length,
    });
  return text;
}
