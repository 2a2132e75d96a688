/** Finds when searches that share queries were last read, in what their groups have stored. */
import type { LearnedStore } from "../../model/learned.ts";
import { GROUPS_SCOPE } from "../memory/group-reading.ts";
import type { SearchGroupMemory } from "./search-memory.ts";

/**
 * Returns the known times in milliseconds, by poll key. After a crash, or if another replica reads
 * the group, a time may be up to ten minutes early, because groups write what they learned at that
 * interval.
 */
export async function readTogetherUntil(
  store: Pick<LearnedStore, "loadLearned">,
  keys: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (const stored of (await store.loadLearned(GROUPS_SCOPE)).values()) {
    // Groups of other kinds store no `members`.
    const { members = {} } = stored as unknown as Partial<SearchGroupMemory>;
    for (const key of keys) {
      const checkedAtMs = Object.hasOwn(members, key) ? members[key]?.checkedAtMs : undefined;
      if (checkedAtMs !== undefined) found.set(key, Math.max(checkedAtMs, found.get(key) ?? 0));
    }
  }
  return found;
}
