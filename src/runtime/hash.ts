/** Implements the Hash port, from which event ids and fingerprints are made, with SHA-256. */
import { hash } from "node:crypto";
import type { Hash } from "../model/hash.ts";

const LENGTH = 22;
const scratch = Buffer.alloc(LENGTH);

/**
 * Returns the first 22 characters of the text's SHA-256 in base64url. They are copied through a
 * buffer, because a slice would keep the whole string in memory for each of ten thousand keys that
 * live as long as the daemon.
 */
export const sha256: Hash = (text) => {
  scratch.write(hash("sha256", text, "base64url"), "latin1");
  return scratch.toString("latin1");
};
