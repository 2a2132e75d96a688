/**
 * Finds when edited queries were last read. A query may be edited while nothing reads it, for
 * example while the daemon is stopped. Posts that appeared since the last read are then new for the
 * edited query.
 */
import { readTogetherUntil } from "../../groups/searches/read-together.ts";
import type { LearnedStore } from "../../model/learned.ts";
import type { Store } from "../../model/store.ts";
import type { ReadUntil, WatchRegistration, WatchState } from "../../model/watch-store.ts";

export type EditedQueriesStore = Pick<Store, "listWatches" | "loadSources"> &
  Pick<LearnedStore, "loadLearned">;

/**
 * Returns when each edited query was last read, in epoch ms. A query has one target, whose key is
 * the fingerprint of its feed. A query that was never read gets 0, for which the state uses the
 * time of its registration.
 */
export async function lastReadsOfEdited(
  registrations: readonly WatchRegistration[],
  store: EditedQueriesStore,
): Promise<ReadUntil> {
  const states = new Map((await store.listWatches()).map((state) => [state.id, state]));
  const named = new Set(registrations.map(({ id }) => id));
  const edited = registrations.flatMap((registration) => {
    const { id, movedFrom = "" } = registration;
    const before = states.get(id) ?? (named.has(movedFrom) ? undefined : states.get(movedFrom));
    const target = before === undefined ? undefined : replacedTarget(before, registration);
    return target === undefined ? [] : [{ id, target }];
  });
  if (edited.length === 0) return new Map();
  const keys = edited.map(({ target }) => target.key);
  const sources = await store.loadSources([...new Set(keys)]);
  const ownMs = new Map(sources.map((one) => [one.fingerprint, one.lastOkAtMs ?? 0]));
  const sharedMs = await readTogetherUntil(store, keys);
  return new Map(
    edited.flatMap(({ id, target: { key, baselineAtMs } }) => {
      const readMs = Math.max(ownMs.get(key) ?? 0, sharedMs.get(key) ?? 0);
      return readMs === 0 && baselineAtMs !== null ? [] : [[id, readMs] as const];
    }),
  );
}

/** Returns the only target that a watch had, if it now has a different one. */
function replacedTarget(before: WatchState, { type, targets }: WatchRegistration) {
  const [[old, ...othersOld], [next, ...others]] = [before.targets, targets];
  const isOne = othersOld.length === 0 && others.length === 0 && before.type === type;
  return isOne && old !== undefined && next !== undefined && old.key !== next.key ? old : undefined;
}
