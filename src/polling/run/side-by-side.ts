/** Works on several things at once, with a limit. */

/**
 * The limit. It is enough for 20 requests a second that take 0.8 s each. Many groups run at once,
 * and requests that wait for the gate take memory.
 */
const SIDE_BY_SIDE = 16;

export async function sideBySide<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = [...items];
  const worker = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE, items.length) }, worker));
}
