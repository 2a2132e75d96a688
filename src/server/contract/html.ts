/**
 * HTML as a type of its own. Every value that `html` did not build is text and is escaped, in
 * content and in quoted attributes.
 */
import { ownValue } from "../../model/own-value.ts";

/** Markup that was built here and may stand as it is. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Value = Html | string | number | undefined | readonly (Html | string | number)[];

/**
 * Builds HTML. Values may stand in content or inside double-quoted attributes, never in a tag name,
 * a script or a style. Undefined becomes nothing; lists are joined.
 */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(parts.map((part, index) => part + textOf(values[index])).join(""));
}

function textOf(value: Value): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(textOf).join("");
  return escape(String(value));
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escape = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => ownValue(ENTITIES, sign) ?? "");
