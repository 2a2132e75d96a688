/** Groups items that have something in common. */

/** Groups items by the result of `keyOf`, with keys and items in their original order. */
export function groupBy<Key, Item>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key,
): Map<Key, [Item, ...Item[]]> {
  const groups = new Map<Key, [Item, ...Item[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const known = groups.get(key);
    // A list that is created with its item takes a fraction of the memory of one that is pushed to,
    // and there may be ten thousand lists.
    if (known === undefined) groups.set(key, [item]);
    else known.push(item);
  }
  return groups;
}
