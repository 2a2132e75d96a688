/** Repeatable chance: everything in the world that looks random is a hash of the seed and of what it is about. */

/** 32 bits that depend on every part. */
export function hash32(...parts: readonly (number | string)[]): number {
  let hash = 0x811c9dc5;
  for (const part of parts) {
    const text = `${part}|`;
    for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35) >>> 0;
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** In [0, 1). */
export const unit = (...parts: readonly (number | string)[]): number => hash32(...parts) / 0x1_0000_0000;

/** One of the list. */
export function pick<T>(list: readonly T[], chance: number): T {
  return list[Math.floor(chance * list.length)] as T;
}

/** A stream of numbers in [0, 1) from one hash (mulberry32). */
export function createDice(...parts: readonly (number | string)[]): () => number {
  let state = hash32(...parts);
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

/** How often something of this mean happens (Knuth; exact enough below 30). */
export function poisson(dice: () => number, mean: number): number {
  const limit = Math.exp(-Math.min(mean, 30));
  let product = dice();
  let count = 0;
  while (product > limit) {
    product *= dice();
    count += 1;
  }
  return count;
}
