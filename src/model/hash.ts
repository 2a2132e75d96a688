/**
 * The port for hashes. It is a port because `model/` imports nothing; event ids must be the same on
 * every machine.
 */
import type { Json } from "./json.ts";

/**
 * Returns the SHA-256 of the UTF-8 text as base64url without padding, cut to 22 characters (132
 * bits).
 */
export type Hash = (text: string) => string;

/** Returns the same text for equal values, whatever the order of their keys. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const entries = Object.entries(value)
      .filter(([, v]) => v !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([k, v]) => `${JSON.stringify(k)}:${canonicalJson(v as Json)}`).join(",")}}`;
  }
  return JSON.stringify(value);
}

/**
 * Returns a number in [0, 1) that depends only on the text: FNV-1a, 32 bits. Use it to spread
 * polls, not as an identity.
 */
export function unitHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    hash ^= text.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193) >>> 0;
  }
  return hash / 0x1_0000_0000;
}
