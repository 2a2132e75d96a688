/** A repeatable Random: the same seed gives the same numbers and ids. */
import type { Random } from "../../src/model/random.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-";

/**
 * Creates a Mulberry32 generator: a counter through an integer mixer. Good enough for tests,
 * useless for secrets.
 */
export function createSeededRandom(seed: number): Random {
  let state = seed >>> 0;
  const float = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const id = () =>
    Array.from({ length: 22 }, () => ALPHABET[Math.floor(float() * ALPHABET.length)]).join("");
  return { float, id };
}
