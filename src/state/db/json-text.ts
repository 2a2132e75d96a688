/** Converts JSON to and from the text that the tables hold. */
import type { Json } from "../../model/json.ts";

export const toText = (value: Json): string => JSON.stringify(value);
export const fromText = <T>(text: string): T => JSON.parse(text) as T;
