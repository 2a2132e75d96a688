/**
 * Fits many items into little room: each in the longest form that leaves the others at least their
 * shortest. Nothing is split.
 */

export interface FittedItems<T> {
  readonly shown: readonly T[];
  /** The number of items for which not even the shortest form had room. */
  readonly left: number;
}

/**
 * Fits items. `items` hold their forms, longest first; `cost` is in the units of `budget`. Half of
 * the room is used for long forms even if the rest would need all of it.
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
