/**
 * Lays out a Telegram message: a plain text, and entities that say which parts of it are bold,
 * links or quotes. The text has no markup, so nothing must be escaped. Pure.
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
 * The maximum length of a text, without entities: https://core.telegram.org/bots/api#sendmessage.
 * Telegram counts characters; UTF-16 units are counted here, which are never fewer.
 */
export const TEXT_CHARS = 4_096;
/**
 * The maximum number of entities; Telegram ignores further ones:
 * https://core.telegram.org/api/entities
 */
const ENTITIES = 100;
/** A message shows at most this many alerts in full. If there are more, they are sent as a list. */
export const MAX_TELEGRAM_CARDS = 4;

/** Offset and length are UTF-16 units: https://core.telegram.org/bots/api#messageentity */
type Entity = {
  readonly type: "bold" | "text_link" | "blockquote";
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
};

/** The body of a message, which is stored and sent unchanged in every attempt. */
export type TelegramBody = {
  readonly text: string;
  readonly entities: readonly Entity[];
  /** The picture that is shown large below the text. */
  readonly picture?: string;
};

/** Renders a message with at most `MAX_TELEGRAM_CARDS` alerts. */
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
        return [text.length + (line.isApart === true ? 2 : 1), entities.length];
      },
      budgets: [TEXT_CHARS, ENTITIES],
    },
    (lines): Json => write([lines]),
  );

export const renderTelegramAnnouncement = (nextAtMs: number): TelegramBody =>
  write([[announcementLine(nextAtMs)]]);

/** Writes groups of lines with an empty line between the groups. */
function write(groups: readonly (readonly RichLine[])[]): TelegramBody {
  const entities: Entity[] = [];
  let text = "";
  for (const [index, lines] of groups.entries()) {
    if (index > 0) text += "\n";
    for (const line of lines) {
      if (text !== "") text += line.isApart === true ? "\n\n" : "\n";
      text = writeLine(line, text, entities);
    }
  }
  return { text, entities };
}

/** Returns the text so far with the line appended, and adds the line's entities to `entities`. */
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
