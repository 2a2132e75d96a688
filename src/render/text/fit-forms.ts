/**
 * Fits many items into limited room. Each item has several forms, and is shown in the longest one
 * that leaves enough room for the shortest forms of the items after it. No form is cut.
 */

export interface FittedItems<T> {
  readonly shown: readonly T[];
  /** The number of items for which not even the shortest form had room. */
  readonly left: number;
}

/**
 * Returns the forms that fit. `items` holds the forms of each item, longest first; `cost` returns
 * what a form uses of `budget`. If the shortest forms of all items exceed the budget, half of it is
 * still used for longer forms of the first items.
 */
export function fitForms<T>(
  items: readonly (readonly T[])[],
  budget: number,
  cost: (form: T) => number,
): FittedItems<T> {
  const shortest = items.map((forms) => Math.min(...forms.map(cost)));
  let needed = shortest.reduce((sum, units) => sum + units, 0);
  const mostReserved = needed > budget ? budget / 2 : needed;
  let room = budget;
  const shown: T[] = [];
  for (const [index, forms] of items.entries()) {
    needed -= shortest[index] ?? 0;
    const reserve = Math.min(needed, mostReserved);
    const form =
      forms.find((candidate) => cost(candidate) <= room - reserve) ??
      forms.find((candidate) => cost(candidate) <= Math.min(room, shortest[index] ?? 0));
    if (form === undefined) return { shown, left: items.length - index };
    shown.push(form);
    room -= cost(form);
  }
  return { shown, left: 0 };
}
