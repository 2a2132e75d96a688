/** Watches and targets as the state keeps them, and the port that registers them. */
import type { JsonObject } from "./json.ts";

export interface TargetRef {
  readonly watchKey: string;
  readonly targetKey: string;
}

export interface TargetRegistration {
  /** Stable within the watch: `@handle`, `id:44196397`, a query's fingerprint, a community id. */
  readonly key: string;
  /** As written in the YAML: the `target` label. */
  readonly name: string;
  /** Known at once when the YAML gives an id. */
  readonly userId?: string;
}

export interface WatchRegistration {
  readonly id: string;
  readonly type: string;
  readonly movedFrom?: string;
  readonly targets: readonly TargetRegistration[];
}

/** `pending` until the first answer; the others but `ok` carry a reason. `gone`: it came to its end, and nobody need act. */
export type TargetStatus = "pending" | "ok" | "not_indexed" | "gone" | "unavailable" | "misconfigured";

export interface TargetState {
  readonly watchKey: string;
  readonly key: string;
  readonly name: string;
  readonly userId: string | null;
  readonly username: string | null;
  readonly registeredAtMs: number;
  /** Null until the baseline is committed. */
  readonly baselineAtMs: number | null;
  /** The detector's own memory; `{}` at first. Opaque to the store. */
  readonly memory: JsonObject;
  /** Grows with every change of this row; commits carry the one they read. */
  readonly revision: number;
  readonly status: TargetStatus;
  readonly statusReason: string;
}

export interface WatchState {
  readonly key: string;
  readonly id: string;
  readonly type: string;
  readonly registeredAtMs: number;
  readonly paused: boolean;
  /** In the order of the registration. */
  readonly targets: readonly TargetState[];
  /** Items with a verdict so far. */
  readonly knownItems: number;
  /** Fresh tweets that are looked at again. */
  readonly followedTweets: number;
}

export interface WatchStore {
  /**
   * Makes the stored watches equal to `watches`: new ones get a key and are registered at `nowMs`; known ones keep key and
   * memory; `movedFrom` hands the old watch's key over; those no longer named are marked removed (kept 30 days, and revived when they
   * come back). Targets likewise; a target whose `userId` another row of the watch holds takes over that row's memory. Idempotent.
   * Returned in the order given.
   */
  registerWatches(watches: readonly WatchRegistration[], nowMs: number): Promise<readonly WatchState[]>;
  /** Stores who a target is. When another row of the watch has that user id already, that row's memory is taken over and the row returned is the survivor. */
  resolveTarget(watchKey: string, targetKey: string, userId: string, username: string): Promise<TargetState>;
  loadTargets(refs: readonly TargetRef[]): Promise<readonly TargetState[]>;
  setTargetStatus(ref: TargetRef, status: TargetStatus, reason: string): Promise<void>;
  setPaused(watchId: string, paused: boolean): Promise<boolean>;
  listWatches(): Promise<readonly WatchState[]>;
}
