/**
 * A type for HTML. `html` escapes every value that it did not build itself, so that a text from
 * outside can never become markup.
 */
import { ownValue } from "../../model/own-value.ts";

/** Markup that `html` built. It is inserted into other markup without escaping. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Value = Html | string | number | undefined | readonly (Html | string | number)[];

/**
 * Builds HTML from a template. Values may be in content or inside double-quoted attributes, never
 * in a tag name, a script or a style. Undefined becomes an empty text; the elements of a list are
 * joined.
 */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  let text = parts[0] ?? "";
  for (let at = 0; at < values.length; at += 1) text += textOf(values[at]) + (parts[at + 1] ?? "");
  return new Html(text);
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
