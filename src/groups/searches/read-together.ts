/** Finds in the stored memories of groups when searches that share queries were last read. */
import type { LearnedStore } from "../../model/learned.ts";
import { GROUPS_SCOPE } from "../memory/group-reading.ts";
import type { SearchGroupMemory } from "./search-memory.ts";

/**
 * Returns until when each search was read, in epoch ms by poll key; searches that no group has read
 * are missing. After a crash, or if another replica reads the group, a time may be up to ten
 * minutes too early, because groups write their memory only every ten minutes.
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
