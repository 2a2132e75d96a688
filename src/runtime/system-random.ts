/** Implements the Random port with the machine's own randomness. */
import { randomBytes, randomInt } from "node:crypto";
import type { Random } from "../model/random.ts";

const SPAN = 2 ** 48 - 1;
const ID_BYTES = 17;
/** Ids take their bytes from a pool, because a request for 17 bytes costs as much as for thousands. */
const POOL_BYTES = 256 * ID_BYTES;

/**
 * Creates the source of randomness. Its ids have 22 characters (132 bits) and cannot be guessed.
 */
export function createSystemRandom(): Random {
  let pool = Buffer.alloc(0);
  let used = 0;
  return {
    float: () => randomInt(SPAN) / SPAN,
    id() {
      if (used === pool.length) {
        pool = randomBytes(POOL_BYTES);
        used = 0;
      }
      const from = used;
      used += ID_BYTES;
      return pool.toString("base64url", from, used).slice(0, 22);
    },
  };
}
