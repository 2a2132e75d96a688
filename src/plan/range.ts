/** A figure that is known to lie between two values. Pure arithmetic. */

export interface Range {
  readonly low: number;
  readonly high: number;
}

/** The maximum ratio of high to low. A wider range would be of no use. */
const MAX_SPREAD = 2.5;

export const exactly = (value: number): Range => ({ low: value, high: value });

export const plus = (a: Range, b: Range): Range => ({ low: a.low + b.low, high: a.high + b.high });

export const times = (a: Range, b: Range): Range => ({ low: a.low * b.low, high: a.high * b.high });

export const middleOf = ({ low, high }: Range): number => (low + high) / 2;

/** Narrows a range so that its top is at most 2.5 times its bottom. The middle stays the same. */
export function narrowed(range: Range): Range {
  if (range.high <= MAX_SPREAD * range.low) return range;
  const low = (2 * middleOf(range)) / (1 + MAX_SPREAD);
  return { low, high: MAX_SPREAD * low };
}
