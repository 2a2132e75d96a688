/**
 * Repeatable random numbers. Everything in the world that seems random is computed from a hash of
 * the seed and of the thing in question, so the same seed always gives the same world.
 */

/** Returns a 32-bit hash of all parts. */
export function hash32(...parts: readonly (number | string)[]): number {
  let hash = 0x811c9dc5;
  for (const part of parts) {
    const text = `${part}|`;
    for (let i = 0; i < text.length; i += 1)
      hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35) >>> 0;
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Returns a number in [0, 1) that is computed from all parts. */
export const unit = (...parts: readonly (number | string)[]): number =>
  hash32(...parts) / 0x1_0000_0000;

/** Returns the item of the list at the relative position `chance`, a number in [0, 1). */
export function pick<T>(list: readonly T[], chance: number): T {
  return list[Math.floor(chance * list.length)] as T;
}

/**
 * Returns a 32-bit hash of numbers. It is faster than `hash32`, for computations that need millions
 * of hashes. `salt` is a `hash32` of the seed and the purpose.
 */
export function mix(salt: number, a: number, b = 0, c = 0): number {
  let hash = Math.imul(salt ^ 0x9e3779b9, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13) ^ a, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 16) ^ b, 0x27d4eb2f);
  hash = Math.imul(hash ^ (hash >>> 15) ^ c, 0x165667b1);
  hash = Math.imul(hash ^ (hash >>> 13), 0x85ebca6b);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Returns a number in [0, 1) that is computed from numbers. It is faster than `unit`. */
export const fraction = (salt: number, a: number, b = 0, c = 0): number =>
  mix(salt, a, b, c) / 0x1_0000_0000;

/** Returns a generator of numbers in [0, 1), whose sequence depends on all parts. */
export const createDice = (...parts: readonly (number | string)[]): (() => number) =>
  diceFrom(hash32(...parts));

/** Returns a generator of numbers in [0, 1), whose sequence depends on `start` (mulberry32). */
export function diceFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

/**
 * Draws a number from a Poisson distribution with this mean: with Knuth's method for small means,
 * otherwise approximated by a normal distribution.
 */
export function poisson(dice: () => number, mean: number): number {
  if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * bell(dice(), dice())));
  const limit = Math.exp(-mean);
  let product = dice();
  let count = 0;
  while (product > limit) {
    product *= dice();
    count += 1;
  }
  return count;
}

/**
 * Returns a number from the standard normal distribution, computed from two numbers in [0, 1) with
 * the method of Box and Muller.
 */
export const bell = (first: number, second: number): number =>
  Math.sqrt(-2 * Math.log(1 - first)) * Math.cos(2 * Math.PI * second);
