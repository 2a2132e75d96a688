/**
 * Converts text as the service sends it to the text that its author wrote. This is the only place
 * that decodes, and every sink escapes text itself.
 */
import type { Raw } from "./read-value.ts";
import { ownValue } from "../model/own-value.ts";

const CHARACTERS: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };

/**
 * Decodes the three characters that the platform escapes (docs/service.md section 2), once:
 * `&amp;lt;` becomes `&lt;`.
 */
export const decodeText = (text: string): string =>
  text.replace(/&(?:amp|lt|gt);/g, (entity) => ownValue(CHARACTERS, entity) ?? entity);

/**
 * Decodes every text of a parsed answer in place, including undocumented fields. Uses no recursion,
 * because the service decides how deeply an answer is nested.
 */
export function decodeTexts(answer: Raw): Raw {
  const open: object[] = [answer];
  for (let holder = open.pop(); holder !== undefined; holder = open.pop()) {
    for (const [name, value] of Object.entries(holder)) {
      if (typeof value === "object" && value !== null) open.push(value);
      // Use defineProperty because names come from the service: an assignment to `__proto__` would
      // be lost.
      else if (typeof value === "string" && value.includes("&"))
        Object.defineProperty(holder, name, { value: decodeText(value) });
    }
  }
  return answer;
}
