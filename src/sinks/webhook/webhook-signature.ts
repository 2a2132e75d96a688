/**
 * Signs messages according to Standard Webhooks (https://www.standardwebhooks.com): HMAC-SHA256
 * over id, timestamp and body.
 */
import { createHmac } from "node:crypto";

const PREFIX = "whsec_";
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/**
 * The key sizes that the specification allows. A secret without `whsec_` that decodes to such a
 * size is probably a base64 key whose prefix was left out.
 */
const KEY_BYTES = { min: 24, max: 64 } as const;

export interface Signer {
  /** Returns the value of `webhook-signature`. */
  sign(id: string, timestampSeconds: number, body: string): string;
}

/**
 * Returns what is wrong with a secret, without revealing the secret; undefined if nothing is wrong.
 */
export function secretProblem(secret: string): string | undefined {
  if (secret === "") return "is empty";
  if (secret !== secret.trim()) return "starts or ends with white space";
  if (!secret.startsWith(PREFIX)) return undefined;
  const key = secret.slice(PREFIX.length);
  return key !== "" && BASE64.test(key)
    ? undefined
    : "starts with whsec_ but the rest is not base64";
}

/**
 * Returns the secrets of a setting, which is a list, or a text with one secret per line, for
 * example from a file.
 */
export const secretsIn = (setting: string | readonly string[]): readonly string[] =>
  typeof setting === "string" && setting.includes("\n")
    ? setting.split(/\r?\n/).filter((line) => line !== "")
    : [setting].flat();

/**
 * Creates a signer that signs with every secret, in the order of the list. Receivers accept a
 * message if one signature in the header matches, so a receiver may know any one of the secrets.
 * `whsec_…` contains the key in base64; any other text is the key itself. If such a text could also
 * be a base64 key, receivers' libraries would decode it, so the header contains both signatures.
 */
export function createSigner(secrets: readonly string[]): Signer {
  const keys = [...new Set(secrets)].flatMap(keysOf);
  return {
    sign(id, timestampSeconds, body) {
      const content = `${id}.${timestampSeconds}.${body}`;
      return keys
        .map((key) => `v1,${createHmac("sha256", key).update(content, "utf8").digest("base64")}`)
        .join(" ");
    },
  };
}

function keysOf(secret: string): readonly Buffer[] {
  if (secret.startsWith(PREFIX)) return [Buffer.from(secret.slice(PREFIX.length), "base64")];
  const plain = Buffer.from(secret, "utf8");
  const decoded = BASE64.test(secret) ? Buffer.from(secret, "base64") : Buffer.alloc(0);
  return decoded.length >= KEY_BYTES.min && decoded.length <= KEY_BYTES.max
    ? [plain, decoded]
    : [plain];
}
