/**
 * A stand-in for sendMessage of Telegram's Bot API, with the limits that its documentation names:
 * https://core.telegram.org/bots/api#sendmessage.
 */

const TEXT_CHARS = 4_096;
const ENTITIES = 100;

export interface TelegramContent {
  readonly text: string;
  readonly entities: readonly {
    readonly type: string;
    readonly offset: number;
    readonly length: number;
    readonly url?: string;
  }[];
}

/** Returns why Telegram would refuse the content, or undefined if it accepts it. */
export function telegramRefusal({ text, entities }: TelegramContent): string | undefined {
  if (text.trim() === "") return "Bad Request: message text is empty";
  if (text.length > TEXT_CHARS) return "Bad Request: message is too long";
  if (entities.length > ENTITIES) return "entities beyond the hundredth would be ignored";
  const isInside = ({ offset, length }: TelegramContent["entities"][number]) =>
    offset >= 0 && length > 0 && offset + length <= text.length;
  if (!entities.every(isInside)) return "an entity lies outside the text";
  return entities.every(
    ({ type, url }) => type !== "text_link" || (url !== undefined && URL.canParse(url)),
  )
    ? undefined
    : "a link is none";
}

/** Returns the text as people see it, with each link behind the words it belongs to. */
export const telegramText = ({ text, entities }: TelegramContent): string =>
  [...entities]
    .filter(({ url }) => url !== undefined)
    .reverse()
    .reduce(
      (all, { offset, length, url }) =>
        `${all.slice(0, offset + length)} ${url} ${all.slice(offset + length)}`,
      text,
    );

/** Text that Telegram turns into a link by itself: a user's name or a command. */
export const LIVE_TELEGRAM = /(?<![\w/.%])@\w|(?<![\w/<>])\/\w/;
