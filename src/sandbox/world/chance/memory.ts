/**
 * A cheap cache of bounded size. It has two generations: when the young one is full, it replaces
 * the old one.
 */

/**
 * Caches the results of `make`, which must return the same result for the same key every time. Each
 * generation holds at most `most` results.
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
