/** SHA-256 behind the Hash port: what event ids and fingerprints are made of. */
import { createHash } from "node:crypto";
import type { Hash } from "../model/hash.ts";

/** SHA-256 of the UTF-8 text, base64url, cut to 22 characters. */
export const sha256: Hash = (text) => createHash("sha256").update(text, "utf8").digest("base64url").slice(0, 22);
