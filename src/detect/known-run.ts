/**
 * Where a member list, read newest first, meets members that were there before: at a run of known
 * ones. One known member alone proves nothing, because whoever unfollows and follows again stands
 * on top. Pure.
 */

/** So many known members in a row. */
export const RUN = 20;

type IsKnown = (id: string) => boolean;

/** Where the first run begins; undefined where there is none. */
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

/** Where the last members of the list that are a run begin; undefined where there is none. */
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

/** Whether the last of them are a run. */
export const endsInRun = (ids: readonly string[], isKnown: IsKnown, length = RUN): boolean =>
  ids.length >= length && ids.slice(-length).every(isKnown);
