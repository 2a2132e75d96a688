/** Implements the Random port with the machine's own randomness. */
import { randomBytes, randomInt } from "node:crypto";
import type { Random } from "../model/random.ts";

const SPAN = 2 ** 48 - 1;

/**
 * Creates the source of randomness. Its ids have 22 characters (132 bits) and cannot be guessed.
 */
export function createSystemRandom(): Random {
  return {
    float: () => randomInt(SPAN) / SPAN,
    id: () => randomBytes(17).toString("base64url").slice(0, 22),
  };
}
