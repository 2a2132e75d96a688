/**
 * Holds the active watches, with their targets as stored in the state, and applies every change to
 * them. `poll-planner.ts` makes polls of them.
 */
import { groupBy } from "../model/group-by.ts";
import type { NamedAccountId, TargetState, WatchState, WatchStore } from "../model/watch-store.ts";
import type { Watch } from "../model/watch.ts";
import { namedHandles, withAccountIds } from "../plan/polls/named-accounts.ts";
import type { Planned } from "../polling/watch-poll.ts";
import type { WatchType } from "../watches/watch-type.ts";

export interface EngineWatch {
  readonly watch: Watch;
  readonly type: WatchType<any>;
  readonly state: WatchState;
}

export class PlannedWatches {
  readonly #store: Pick<WatchStore, "listWatches">;
  readonly #onChanged: (watchIds: readonly string[]) => void;
  #all: readonly Planned[] = [];
  /** The entries of `#all` by watch key; undefined until it is built again after a change. */
  #byKey: ReadonlyMap<string, Planned> | undefined;
  /** The ids of the watches that changed since `set` was called last. */
  readonly #changedIds = new Set<string>();

  /**
   * `onChanged` is called when targets or named accounts of these watches have changed, so that
   * polls must be planned again.
   */
  constructor(
    store: Pick<WatchStore, "listWatches">,
    onChanged: (watchIds: readonly string[]) => void,
  ) {
    this.#store = store;
    this.#onChanged = onChanged;
  }

  get all(): readonly Planned[] {
    return this.#all;
  }

  /**
   * Returns when the first of a watch's targets got its baseline, in epoch ms; undefined if none
   * has one. A new baseline is seen after the watch was read from the state again.
   */
  baselineAtMs(watchKey: string): number | undefined {
    const times = (this.#of(watchKey)?.targets ?? []).flatMap(
      ({ baselineAtMs }) => baselineAtMs ?? [],
    );
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /**
   * Replaces all watches. Those that were changed after `watches` were read from the state are read
   * again.
   */
  async set(watches: readonly EngineWatch[]): Promise<void> {
    this.#replace(watches.map(plannedOf));
    const changed = [...this.#changedIds];
    this.#changedIds.clear();
    await this.#read(changed);
  }

  async readAgain(watchIds: readonly string[]): Promise<void> {
    for (const id of watchIds) this.#changedIds.add(id);
    await this.#read(watchIds);
  }

  async #read(watchIds: readonly string[]): Promise<void> {
    if (watchIds.length === 0) return;
    const states = new Map(
      (await this.#store.listWatches(watchIds)).map((state) => [state.id, state]),
    );
    // Replace only the watches that were read: others may have changed meanwhile, through a reload
    // or because another watch was resumed.
    const withState = (planned: Planned): Planned => {
      const state = states.get(planned.watch.id);
      return state === undefined ? planned : plannedOf({ ...planned, state });
    };
    this.#replace(this.#all.map(withState));
  }

  /** Replaces targets whose user id was found or that are read from another source. */
  replaceTargets(targets: readonly TargetState[]): void {
    this.#replace(withTargets(this.#all, targets));
    this.#changed(targets);
  }

  /**
   * Sets the user ids of accounts that watches name in addition to their targets, such as those in
   * a filter.
   */
  nameAccounts(accounts: readonly NamedAccountId[]): void {
    const found = new Map<string, Record<string, string>>();
    for (const { watchKey, handle, userId } of accounts)
      found.set(watchKey, { ...found.get(watchKey), [handle]: userId });
    this.#replace(
      this.#all.map((one) => {
        const ids = found.get(one.watchKey);
        return ids === undefined ? one : followAccounts(one, ids);
      }),
    );
    this.#changed(accounts);
  }

  #changed(parts: readonly Pick<TargetState, "watchKey">[]): void {
    const ids = new Set(parts.flatMap(({ watchKey }) => this.#of(watchKey)?.watch.id ?? []));
    for (const id of ids) this.#changedIds.add(id);
    this.#onChanged([...ids]);
  }

  #of(watchKey: string): Planned | undefined {
    this.#byKey ??= new Map(this.#all.map((planned) => [planned.watchKey, planned]));
    return this.#byKey.get(watchKey);
  }

  #replace(all: readonly Planned[]): void {
    this.#all = all;
    this.#byKey = undefined;
  }
}

const plannedOf = ({
  watch,
  type,
  state: { key: watchKey, paused, targets, accounts },
}: EngineWatch): Planned => followAccounts({ watch, type, watchKey, paused, targets }, accounts);

/**
 * Replaces the handles that a watch names in addition to its targets by user ids, as far as the ids
 * are known.
 */
function followAccounts(planned: Planned, ids: Readonly<Record<string, string>>): Planned {
  const watch = withAccountIds(planned.watch, planned.type, ids);
  return {
    ...planned,
    watch,
    waitsForAccounts: namedHandles(watch, planned.type).required.length > 0,
  };
}

/**
 * Replaces targets. If two targets turn out to be the same account, the one in `targets` replaces
 * both.
 */
function withTargets(
  planned: readonly Planned[],
  targets: readonly TargetState[],
): readonly Planned[] {
  const byWatch = groupBy(targets, ({ watchKey }) => watchKey);
  return planned.map((watch) => {
    const own = byWatch.get(watch.watchKey);
    if (own === undefined) return watch;
    const userIds = new Set(own.map(({ userId }) => userId));
    const names = new Set(own.map(({ name }) => name));
    const kept = watch.targets.filter(
      (target) =>
        !names.has(target.name) && (target.userId === null || !userIds.has(target.userId)),
    );
    return {
      ...watch,
      targets: [...kept, ...new Map(own.map((target) => [target.key, target])).values()],
    };
  });
}
