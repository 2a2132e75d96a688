/** Processes several items at the same time, up to a limit. */

/**
 * How many items are processed at the same time. That is enough for 20 requests a second that take
 * 0.8 s each. More would cost memory, because many groups run at once and their requests wait for
 * the gate.
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
