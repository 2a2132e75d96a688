/**
 * Reads single values as the service really sends them: ids, counts, flags, texts, times. All rules
 * for unusual forms of a value are here.
 */
import { isoTime } from "../model/clock.ts";
import type { Json } from "../model/json.ts";

/** A parsed JSON object that has not been checked yet. */
export type Raw = Readonly<Record<string, Json | undefined>>;

export const isRaw = (value: unknown): value is Raw =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const readText = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : "";

const DIGITS = /^\d+$/;

/**
 * Returns an id as a string of digits, whether it was sent as text or as a number; "" if the value
 * is not an id. The id 0 stands for "no account" and also becomes "".
 */
export function readId(value: unknown): string {
  const text = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === "string" && text !== "0" && DIGITS.test(text) ? text : "";
}

/** Returns a finite number, which may be in quotes; undefined if the value is not one. */
export function readNumber(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "string" || value.trim() === "") return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

export const readCount = (value: unknown): number => readNumber(value) ?? 0;

/** Returns a flag; undefined if the value is not a flag in any known form. */
export function readFlag(value: unknown): boolean | undefined {
  if (value === true || value === "true" || value === 1) return true;
  if (value === false || value === "false" || value === 0) return false;
  return undefined;
}

/**
 * Returns the texts and numbers of an array as texts. Any value that is not an array becomes an
 * empty one.
 */
export const readTexts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map(readText).filter((text) => text !== "") : [];

const ISO_EXACT = /^2\d{3}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d\.\d{3}Z$/;
const ISO_LIKE = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))? ?(Z|[+-]\d\d:?\d\d)?$/;
const CLASSIC = /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) (\d\d?) (\d\d:\d\d:\d\d) ([+-]\d{4}) (\d{4})$/;

/**
 * The earliest time that is accepted. The platform did not exist before, so an earlier time is a
 * placeholder such as 0.
 */
const EARLIEST_MS = Date.UTC(2000, 0, 1);

/**
 * Returns a time in ISO 8601 UTC; "" if it cannot be read. Accepts all forms that the service uses
 * (docs/service.md, section 2): ISO 8601, `Fri Mar 06 13:38:49 +0000 2026`, `2024-04-27 06:43:09`
 * (UTC), and Unix seconds or milliseconds.
 */
export function readTime(value: unknown): string {
  const epochMs = readEpochMs(value);
  return epochMs >= EARLIEST_MS && epochMs < 8.64e15 ? isoTime(epochMs) : "";
}

function readEpochMs(value: unknown): number {
  if (typeof value === "number") return fromUnix(value);
  if (typeof value !== "string") return Number.NaN;
  if (ISO_EXACT.test(value)) return Date.parse(value);
  const text = value.trim();
  if (DIGITS.test(text)) return fromUnix(Number(text));
  const iso = ISO_LIKE.exec(text);
  // Add a zone, because Date.parse reads a time without a zone as local time.
  if (iso !== null) return Date.parse(`${iso[1]}T${iso[2] ?? "00:00:00"}${zone(iso[3])}`);
  const classic = CLASSIC.exec(text);
  return classic === null
    ? Number.NaN
    : Date.parse(`${classic[1]} ${classic[2]} ${classic[5]} ${classic[3]} GMT${classic[4]}`);
}

/** Writes the zone `+0000` as `+00:00`, the only form that every Date.parse must accept. */
const zone = (text = "Z"): string =>
  text.length === 5 ? `${text.slice(0, 3)}:${text.slice(3)}` : text;

/**
 * Converts a Unix time to milliseconds. Numbers below 1e11 (the year 5138) are seconds, larger ones
 * are milliseconds, and those from 1e14 on are microseconds.
 */
const fromUnix = (number: number): number =>
  number < 1e11 ? number * 1_000 : number < 1e14 ? number : number / 1_000;
