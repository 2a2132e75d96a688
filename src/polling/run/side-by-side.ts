/** Works on several things at once, so many at a time. */

/** As many polls as the loop has running at most: requests are paced by the gate. */
const SIDE_BY_SIDE = 64;

export async function sideBySide<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items];
  const worker = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE, items.length) }, worker));
}
