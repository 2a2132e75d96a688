/** SHA-256 behind the Hash port: what event ids and fingerprints are made of. */
import { hash } from "node:crypto";
import type { Hash } from "../model/hash.ts";

const LENGTH = 22;
const scratch = Buffer.alloc(LENGTH);

/**
 * SHA-256 of the UTF-8 text, base64url, cut to 22 characters. Copied through bytes, because a slice
 * would keep the whole text alive behind every key, and ten thousand of them live as long as the
 * daemon.
 */
export const sha256: Hash = (text) => {
  scratch.write(hash("sha256", text, "base64url"), "latin1");
  return scratch.toString("latin1");
};
