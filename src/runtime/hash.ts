/** Implements the Hash port, from which event ids and fingerprints are made, with SHA-256. */
import { hash } from "node:crypto";
import type { Hash } from "../model/hash.ts";

const LENGTH = 22;
const scratch = Buffer.alloc(LENGTH);

/**
 * Returns the SHA-256 of the text in UTF-8, as base64url, cut to 22 characters. It is copied
 * through a buffer, because a slice would keep the whole text in memory for each of ten thousand
 * keys that live as long as the daemon.
 */
export const sha256: Hash = (text) => {
  scratch.write(hash("sha256", text, "base64url"), "latin1");
  return scratch.toString("latin1");
};
