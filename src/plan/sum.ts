/** Adds up forecasts or counts: posts, requests, delays. Pure. */

export const sum = <T>(items: readonly T[], of: (item: T, index: number) => number): number =>
  items.reduce((total, item, index) => total + of(item, index), 0);
