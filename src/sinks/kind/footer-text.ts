/** Adds a footer line to a text and makes room for it. */
import { trimText } from "../../render/text/trim-text.ts";

/** The maximum length of a footer line, which leaves room for the alerts above it. */
export const FOOTER_LINE_CHARS = 300;

/**
 * Returns the text with the footer below it. If both together exceed the limit, the text loses
 * whole lines at its end, because half a line may be half a link.
 */
export function withFooterLine(text: string, footer: string, limit: number): string {
  if (text === "") return footer;
  const room = limit - footer.length - 1;
  if (text.length <= room) return `${text}\n${footer}`;
  const end = text.lastIndexOf("\n", room - 2);
  const above = end <= 0 ? trimText(text, room) : `${text.slice(0, end)}\n…`;
  return `${above}\n${footer}`;
}
