/** Adding up what is forecast or was counted: posts, requests, delays. Pure. */

export const sum = <T>(items: readonly T[], of: (item: T, index: number) => number): number =>
  items.reduce((total, item, index) => total + of(item, index), 0);
