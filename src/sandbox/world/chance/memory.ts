/** A cache in two generations. It is cheap and bounded, and forgetting never changes an answer. */

/**
 * Caches `make`, which must always make the same thing for the same key. Each generation holds at
 * most `most` things.
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
