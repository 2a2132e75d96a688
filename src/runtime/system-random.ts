/** The machine's own randomness behind the Random port. */
import { randomInt, randomUUID } from "node:crypto";
import type { Random } from "../model/random.ts";

const SPAN = 2 ** 48 - 1;

/** Unguessable ids of 22 characters (122 bits). */
export function createSystemRandom(): Random {
  return {
    float: () => randomInt(SPAN) / SPAN,
    id: () => Buffer.from(randomUUID().replaceAll("-", ""), "hex").toString("base64url"),
  };
}
