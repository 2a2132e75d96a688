/** Converts JSON to and from the text that the tables hold. */
import type { Json, JsonObject } from "../../model/json.ts";

export const toText = (value: Json): string => JSON.stringify(value);

/** The texts of objects that are part of several rows, by the objects. */
export type Texts = ReadonlyMap<unknown, string>;

/** Returns what `toText` returns, and takes from `texts` what has its text there. */
export function toTextWith(object: JsonObject, texts: Texts): string {
  if (texts.size === 0) return toText(object);
  const parts: string[] = [];
  for (const name of Object.keys(object)) {
    const value = object[name];
    if (value === undefined) continue;
    parts.push(`${JSON.stringify(name)}:${texts.get(value) ?? toText(value)}`);
  }
  return `{${parts.join(",")}}`;
}

export const fromText = <T>(text: string): T => JSON.parse(text) as T;
