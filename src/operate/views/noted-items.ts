/**
 * Returns how much a watch has recorded: the number of items with a verdict or, if the watch
 * compares values, the number of targets whose first value is known.
 */
import type { WatchState } from "../../model/watch-store.ts";
import { isReadingType } from "../../watches/registry.ts";

export const notedItems = (
  type: string,
  { knownItems, targets }: Pick<WatchState, "knownItems" | "targets">,
): number =>
  isReadingType(type)
    ? targets.filter(({ baselineAtMs }) => baselineAtMs !== null).length
    : knownItems;
