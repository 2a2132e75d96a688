/** The machine's own randomness behind the Random port. */
import { randomBytes, randomInt } from "node:crypto";
import type { Random } from "../model/random.ts";

const SPAN = 2 ** 48 - 1;

/** Unguessable ids of 22 characters (132 bits). */
export function createSystemRandom(): Random {
  return {
    float: () => randomInt(SPAN) / SPAN,
    id: () => randomBytes(17).toString("base64url").slice(0, 22),
  };
}
