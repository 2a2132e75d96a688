/**
 * Converts text as the service sends it to the text that its author wrote. No other file decodes
 * text, and every sink escapes text itself.
 */
import type { Raw } from "./read-value.ts";
import { ownValue } from "../model/own-value.ts";

const CHARACTERS: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };

/**
 * Decodes the three characters that the platform escapes (docs/service.md section 2). Decodes only
 * once: `&amp;lt;` becomes `&lt;`.
 */
export const decodeText = (text: string): string =>
  text.replace(/&(?:amp|lt|gt);/g, (entity) => ownValue(CHARACTERS, entity) ?? entity);

/**
 * Decodes every text of a parsed answer in place, including undocumented fields. Uses no recursion,
 * because the service decides how deeply an answer is nested, and recursion could overflow the
 * stack.
 */
export function decodeTexts(answer: Raw): Raw {
  const open: object[] = [answer];
  for (let holder = open.pop(); holder !== undefined; holder = open.pop()) {
    for (const [name, value] of Object.entries(holder)) {
      if (typeof value === "object" && value !== null) open.push(value);
      // The names come from the service, and an assignment to `__proto__` would be lost, so use
      // defineProperty.
      else if (typeof value === "string" && value.includes("&"))
        Object.defineProperty(holder, name, { value: decodeText(value) });
    }
  }
  return answer;
}
