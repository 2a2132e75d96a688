/**
 * Finds the place in a member list, read newest first, from which on its members are known. Several
 * known members in a row mark that place. A single known member does not, because an account that
 * unfollows and follows again is listed on top. Pure.
 */

/** The number of known members in a row that make a run. */
export const RUN = 20;

type IsKnown = (id: string) => boolean;

/** Returns the index at which the first run begins; undefined if there is none. */
export function firstRun(
  ids: readonly string[],
  isKnown: IsKnown,
  length = RUN,
): number | undefined {
  let start = 0;
  for (const [index, id] of ids.entries()) {
    if (!isKnown(id)) start = index + 1;
    else if (index - start + 1 >= length) return start;
  }
  return undefined;
}

/**
 * Returns the index at which the last run of known members in the list begins; undefined if there
 * is none.
 */
export function lastRun(
  ids: readonly string[],
  isKnown: IsKnown,
  length = RUN,
): number | undefined {
  let known = 0;
  for (let index = ids.length - 1; index >= 0; index -= 1) {
    known = isKnown(ids[index] ?? "") ? known + 1 : 0;
    if (known >= length) return index;
  }
  return undefined;
}

/** Whether the last `length` members of the list are all known. */
export const endsInRun = (ids: readonly string[], isKnown: IsKnown, length = RUN): boolean =>
  ids.length >= length && ids.slice(-length).every(isKnown);
