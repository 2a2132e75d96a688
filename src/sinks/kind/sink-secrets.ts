/**
 * What of a sink's settings must not be shown, and what is shown instead of its address: host and
 * fingerprint. Taking it out of texts is runtime/redaction.ts's.
 */
import { createHash } from "node:crypto";
import type { SinkType } from "./sink-type.ts";

/** Shorter paths are words like `/webhook`, which stand in harmless texts too. */
const SHORTEST_PATH = 12;
/** A part of a path or query that long is a token, and no word. */
const SHORTEST_TOKEN = 16;
const FINGERPRINT_CHARS = 6;

/**
 * Where a sink posts, for people: "#brand", "console"; an address as "hooks.example.com, 3fa9c1".
 * The name is the caller's.
 */
export function sinkPlace(type: SinkType<any>, settings: unknown): string {
  const address = addressOf(type, settings);
  return address === undefined
    ? (type.describe?.(settings) ?? "")
    : `${new URL(address).host}, ${fingerprint(address)}`;
}

/** True when the place alone does not say which sink is meant. */
export const hasSecretAddress = (type: SinkType<any>, settings: unknown): boolean =>
  addressOf(type, settings) !== undefined;

/**
 * Every text that would give a secret of these settings away: of an address its path and the tokens
 * in it, too, as a receiver's error page repeats them.
 */
export function secretTexts(type: SinkType<any>, settings: unknown): readonly string[] {
  const values = valuesOf(type, settings).flatMap((value) => [value, ...linesOf(value)]);
  return [
    ...new Set(values.flatMap((value) => (isAddress(value) ? addressTexts(value) : [value]))),
    ...headerTexts(settings),
  ];
}

const addressOf = (type: SinkType<any>, settings: unknown): string | undefined =>
  valuesOf(type, settings).find(isAddress);

function valuesOf({ secrets }: SinkType<any>, settings: unknown): readonly string[] {
  const held = (settings ?? {}) as Readonly<Record<string, unknown>>;
  return secrets.flatMap((key) => held[key]).filter((value) => typeof value === "string");
}

/** Of a file with several secrets each one. */
const linesOf = (value: string): readonly string[] =>
  value.split(/\r?\n/).filter((line) => line !== "");

const isAddress = (value: string): boolean => /^https?:\/\//i.test(value) && URL.canParse(value);

/** Distinguishes two addresses without revealing either. */
const fingerprint = (address: string): string =>
  createHash("sha256").update(address).digest("hex").slice(0, FINGERPRINT_CHARS);

function addressTexts(address: string): readonly string[] {
  const { href, pathname, search, searchParams } = new URL(address);
  const paths = [`${pathname}${search}`, pathname, pathname.replace(/\/+$/, "")].filter(
    ({ length }) => length >= SHORTEST_PATH,
  );
  const tokens = [...pathname.split("/"), ...searchParams.values()].filter(
    ({ length }) => length >= SHORTEST_TOKEN,
  );
  return [
    ...new Set([address, href, ...[...paths, ...tokens].flatMap((text) => [text, decoded(text)])]),
  ];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Of headers, those that prove who is calling. */
const CREDENTIAL_HEADER = /auth|key|token|secret|cookie|password/i;

function headerTexts(settings: unknown): readonly string[] {
  const { headers = {} } = (settings ?? {}) as {
    readonly headers?: Readonly<Record<string, string>>;
  };
  const values = Object.entries(headers).flatMap(([name, value]) =>
    CREDENTIAL_HEADER.test(name) ? [value] : [],
  );
  return values.flatMap((value) => [
    value,
    ...value.split(/\s+/).filter(({ length }) => length >= SHORTEST_TOKEN),
  ]);
}
