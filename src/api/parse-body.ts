/** Parses the text of any endpoint's answer as JSON, without losing digits of large integers. */
import { UpstreamError } from "../model/upstream.ts";
import { isRaw, type Raw } from "./read-value.ts";

/**
 * Returns the JSON object of an answer. Integers beyond 2^53 become strings of the same digits.
 * @throws UpstreamError `transient` for anything but a JSON object, because an empty, truncated,
 *   null or HTML answer never means "no items".
 */
export function parseBody(text: string, status: number): Raw {
  if (text.trim() === "") throw unusable("the answer is empty", status);
  let value: unknown;
  try {
    value = JSON.parse(keepDigits(text));
  } catch (cause) {
    throw unusable(
      looksLikeHtml(text) ? "the answer is HTML, not JSON" : "the answer is not whole JSON",
      status,
      cause,
    );
  }
  if (!isRaw(value))
    throw unusable(
      `the answer is ${value === null ? "null" : Array.isArray(value) ? "an array" : typeof value}, not an object`,
      status,
    );
  return value;
}

export const looksLikeHtml = (text: string): boolean =>
  /^\s*<(!doctype|html|head|body|\?xml)/i.test(text);

/**
 * Creates the error for an answer that arrived but cannot be used. It is transient, because the
 * next answer may be usable.
 */
export const unusable = (what: string, status?: number, cause?: unknown): UpstreamError =>
  new UpstreamError("transient", what, status, cause === undefined ? {} : { cause });

const MAYBE_LONG = /[:,[\s]-?\d{16}/;
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const LONG_INTEGER = /^-?\d{16,}$/;

/**
 * Puts quotes around integers that do not fit a JavaScript number: JSON.parse would read
 * 1867041249938530657 as …800. Strings and fractions stay as they are.
 */
export function keepDigits(json: string): string {
  if (!MAYBE_LONG.test(json)) return json;
  return json.replace(STRING_OR_NUMBER, (token) =>
    LONG_INTEGER.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
  );
}
