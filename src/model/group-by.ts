/** Lists of what has something in common. */

/** By what `keyOf` says of each; keys and items in the order they came in. */
export function groupBy<Key, Item>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key,
): Map<Key, [Item, ...Item[]]> {
  const groups = new Map<Key, [Item, ...Item[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const known = groups.get(key);
    // A list that starts with its one item takes a fraction of one that was pushed to: there may be
    // ten thousand.
    if (known === undefined) groups.set(key, [item]);
    else known.push(item);
  }
  return groups;
}
