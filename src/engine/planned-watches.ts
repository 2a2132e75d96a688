/** The watches that are polled now, with their targets as the state has them. Owns what changes these; making polls of them is poll-planner.ts's. */
import type { NamedAccountId, TargetState, WatchState, WatchStore } from "../model/watch-store.ts";
import type { Watch } from "../model/watch.ts";
import type { PlannedWatch } from "../plan/polls/plan-polls.ts";
import type { WatchType } from "../watches/watch-type.ts";
import { firstBaselineOf, plannedOf, targetRefsOf, withAccounts, withPaused, withTargets } from "./plan-facts.ts";

export interface EngineWatch {
  readonly watch: Watch;
  readonly type: WatchType<any>;
  readonly state: WatchState;
}

export class PlannedWatches {
  readonly #store: Pick<WatchStore, "loadTargets">;
  readonly #onChanged: () => void;
  #all: readonly PlannedWatch<WatchType<any>>[] = [];
  /** `#all` by the key of the watch; undefined after a change. */
  #byKey: ReadonlyMap<string, PlannedWatch<WatchType<any>>> | undefined;

  /** `onChanged`: called whenever targets or named accounts changed: they have to be planned again. */
  constructor(store: Pick<WatchStore, "loadTargets">, onChanged: () => void) {
    this.#store = store;
    this.#onChanged = onChanged;
  }

  get all(): readonly PlannedWatch<WatchType<any>>[] {
    return this.#all;
  }

  /** As the state had it when the watch was taken over. */
  baselineAtMs(watchKey: string): number | undefined {
    this.#byKey ??= new Map(this.#all.map((planned) => [planned.watchKey, planned]));
    const planned = this.#byKey.get(watchKey);
    return planned === undefined ? undefined : firstBaselineOf(planned);
  }

  set(watches: readonly EngineWatch[]): void {
    this.#replace(watches.map(plannedOf));
  }

  async setPaused(watchId: string, paused: boolean): Promise<void> {
    // What changes while the state is read, another watch that is resumed or a reload, must not be undone.
    const targets = await this.#store.loadTargets(targetRefsOf(this.#all, watchId));
    this.#replace(withPaused(this.#all, { watchId, paused, targets }));
  }

  /** Targets got an id, or another source. */
  replaceTargets(targets: readonly TargetState[]): void {
    this.#replace(withTargets(this.#all, targets));
    this.#onChanged();
  }

  /** Accounts that watches name beside their targets got an id. */
  nameAccounts(accounts: readonly NamedAccountId[]): void {
    this.#replace(withAccounts(this.#all, accounts));
    this.#onChanged();
  }

  #replace(all: readonly PlannedWatch<WatchType<any>>[]): void {
    this.#all = all;
    this.#byKey = undefined;
  }
}
