/**
 * Remembers what was made lately, in two generations: cheap, bounded, and forgetting never changes
 * an answer.
 */

/**
 * `most` = things kept of each generation. Only for what `make` can make again, always the same.
 */
export function remember<T>(most: number, make: (key: number) => T): (key: number) => T {
  let young = new Map<number, T>();
  let old = new Map<number, T>();
  return (key) => {
    const known = young.get(key);
    if (known !== undefined) return known;
    const made = old.get(key) ?? make(key);
    if (young.size >= most) {
      old = young;
      young = new Map();
    }
    young.set(key, made);
    return made;
  };
}
