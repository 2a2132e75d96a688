/**
 * Finds the parts of a sink's settings that must not be shown, and what is shown in place of its
 * address: the host and a fingerprint. `runtime/redaction.ts` removes the secret parts from texts.
 */
import { createHash } from "node:crypto";
import type { SinkType } from "./sink-type.ts";

/**
 * Shorter paths, such as `/webhook`, are not treated as secrets, because they also occur in
 * harmless texts.
 */
const MIN_PATH = 12;
/** A part of a path or query of at least this length is taken for a token and not for a word. */
const MIN_TOKEN = 16;
const FINGERPRINT_CHARS = 6;

/**
 * Returns where a sink posts, in words: "#brand", "console", or for a secret address its host and a
 * fingerprint: "hooks.example.com, 3fa9c1". The caller adds the sink's name.
 */
export function sinkPlace(type: SinkType<any>, settings: unknown): string {
  const address = addressOf(type, settings);
  return address === undefined
    ? (type.describe?.(settings) ?? "")
    : `${new URL(address).host}, ${fingerprint(address)}`;
}

/**
 * Whether the sink's address is secret. `sinkPlace` then returns only a host and a fingerprint,
 * which do not say to people which sink is meant.
 */
export const hasSecretAddress = (type: SinkType<any>, settings: unknown): boolean =>
  addressOf(type, settings) !== undefined;

/**
 * Returns every text that would reveal a secret of these settings. For a secret address these are
 * the address, its path, and the tokens in it, because a receiver's error page may repeat any of
 * them.
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

/** Returns the single lines of a secret, because a file may hold several secrets. */
const linesOf = (value: string): readonly string[] =>
  value.split(/\r?\n/).filter((line) => line !== "");

const isAddress = (value: string): boolean => /^https?:\/\//i.test(value) && URL.canParse(value);

/** Returns a hash that distinguishes addresses without revealing them. */
const fingerprint = (address: string): string =>
  createHash("sha256").update(address).digest("hex").slice(0, FINGERPRINT_CHARS);

function addressTexts(address: string): readonly string[] {
  const { href, pathname, search, searchParams } = new URL(address);
  const paths = [`${pathname}${search}`, pathname, pathname.replace(/\/+$/, "")].filter(
    ({ length }) => length >= MIN_PATH,
  );
  const tokens = [...pathname.split("/"), ...searchParams.values()].filter(
    ({ length }) => length >= MIN_TOKEN,
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

/** Matches the names of headers that contain credentials. */
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
    ...value.split(/\s+/).filter(({ length }) => length >= MIN_TOKEN),
  ]);
}
