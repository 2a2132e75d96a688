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
  /** False: configured, and not polled; true unless said. */
  readonly enabled?: boolean;
  readonly targets: readonly TargetRegistration[];
}

/**
 * `pending` until the first answer; the others but `ok` carry a reason. `gone`: it came to its end,
 * and nobody need act.
 */
export type TargetStatus =
  | "pending"
  | "ok"
  | "not_indexed"
  | "gone"
  | "unavailable"
  | "misconfigured";

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
  /** Since when it was away, where it came back with this very registration. */
  readonly returnedFromMs?: number;
  /** User ids of accounts that it names beside its targets, by handle in lower case. */
  readonly accounts: Readonly<Record<string, string>>;
  /** In the order of the registration. */
  readonly targets: readonly TargetState[];
  /** Items with a verdict so far. */
  readonly knownItems: number;
}

/**
 * What a target's memory says under `away`: its watch came back, and what came meanwhile is
 * delivered in another way, or not at all.
 */
export interface Absence {
  readonly from_ms: number;
  readonly to_ms: number;
  /** Whatever the configuration says, what came meanwhile raises no alert. */
  readonly from_now?: true;
  /** Of a list that is read from its newest end: that end was read since. */
  readonly head_read?: true;
  /** Everything that came meanwhile was read. */
  readonly done?: true;
}

/**
 * The time at which the only feed of a watch was read last, by the id of the watch. A feed that
 * takes its place is registered as of that time, because what came since was never read.
 */
export type ReadUntil = ReadonlyMap<string, number>;

export interface PauseChange {
  readonly atMs: number;
  /** What came while the watch was away raises no alert. */
  readonly isFromNow?: boolean;
  /** For the audit: who asked for it. */
  readonly by?: string;
}

/** How it was before the change. */
export interface PausedBefore {
  readonly wasPaused: boolean;
  readonly awaySinceMs: number | null;
}

/** An account that a watch names beside its targets. */
export interface NamedAccountId {
  readonly watchKey: string;
  /** In lower case. */
  readonly handle: string;
  readonly userId: string;
}

/** Who a target is. */
export interface ResolvedAccount {
  readonly userId: string;
  readonly username: string;
}

export interface WatchStore {
  /**
   * Makes the stored watches equal to `watches`: new ones get a key and are registered at `nowMs`;
   * known ones keep key and memory; `movedFrom` hands the old watch's key over; those no longer
   * named are marked removed (kept 30 days, and revived when they come back). A watch that was
   * paused, disabled or removed and is polled again, and a target that was removed, has `resume_ms`
   * and an `Absence` in the memory of its targets. Targets likewise; a target whose `userId`
   * another row of the watch holds takes over that row's memory. Idempotent. Returned in the order
   * given. `onWritten`: called where these are not those that were registered last.
   */
  registerWatches(
    watches: readonly WatchRegistration[],
    nowMs: number,
    onWritten?: () => void,
    readUntilMs?: ReadUntil,
  ): Promise<readonly WatchState[]>;
  /**
   * Stores who a target is. When another row of the watch has that user id already, that row's
   * memory is taken over and the row returned is the survivor.
   */
  resolveTarget(ref: TargetRef, account: ResolvedAccount): Promise<TargetState>;
  /** Stores who such accounts are; a handle whose account is known keeps it. */
  nameAccounts(found: readonly NamedAccountId[]): Promise<void>;
  loadTargets(refs: readonly TargetRef[]): Promise<readonly TargetState[]>;
  setTargetStatus(ref: TargetRef, status: TargetStatus, reason: string): Promise<void>;
  /**
   * Undefined when no such watch is configured. Resumed, its targets get what `registerWatches`
   * gives those that come back.
   */
  setPaused(
    watchId: string,
    paused: boolean,
    change: PauseChange,
  ): Promise<PausedBefore | undefined>;
  /**
   * Those that are configured, in the order of the configuration; with `ids`, only those of these
   * ids.
   */
  listWatches(ids?: readonly string[]): Promise<readonly WatchState[]>;
}
