/** The storage port for watches and their targets. */
import type { JsonObject } from "./json.ts";

export interface TargetRef {
  readonly watchKey: string;
  readonly targetKey: string;
}

export interface TargetRegistration {
  /**
   * The key of the target, which is stable within the watch: `@handle`, `id:44196397`, a query's
   * fingerprint, a community id.
   */
  readonly key: string;
  /** The name as configured: the `target` label. */
  readonly name: string;
  /** The account's user id, if the YAML gives it. */
  readonly userId?: string | undefined;
}

export interface WatchRegistration {
  readonly id: string;
  readonly type: string;
  readonly movedFrom?: string | undefined;
  /** False if the watch is configured but not polled. True by default. */
  readonly enabled?: boolean;
  readonly targets: readonly TargetRegistration[];
}

/**
 * The status of a target. Every status except `ok` has a reason.
 * - `pending`: no answer was received yet.
 * - `gone`: the target has ended, and nobody needs to act.
 */
export const TARGET_STATUSES = [
  "pending",
  "ok",
  "not_indexed",
  "gone",
  "unavailable",
  "misconfigured",
] as const;
export type TargetStatus = (typeof TARGET_STATUSES)[number];

/** The statuses of a target that cannot be read until somebody acts. */
export const UNREADABLE = [
  "unavailable",
  "misconfigured",
] as const satisfies readonly TargetStatus[];

export interface TargetState {
  readonly watchKey: string;
  readonly key: string;
  readonly name: string;
  readonly userId: string | null;
  readonly username: string | null;
  readonly registeredAtMs: number;
  /** Null until the baseline is committed. */
  readonly baselineAtMs: number | null;
  /** The detector's own memory, `{}` at first. Opaque to the store. */
  readonly memory: JsonObject;
  /**
   * A number that increases with every change of this row. A commit contains the revision that it
   * was based on, so that the store detects conflicts.
   */
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
  /**
   * The time from which on the watch was not polled, in epoch ms; set if this registration resumed
   * it.
   */
  readonly returnedFromMs?: number;
  /**
   * The user ids of accounts that the watch names in addition to its targets, by handle in lower
   * case.
   */
  readonly accounts: Readonly<Record<string, string>>;
  /** The targets in the order of the registration. */
  readonly targets: readonly TargetState[];
  /** The number of items with a verdict so far. */
  readonly knownItems: number;
}

/**
 * The value of `away` in the memory of a target whose watch was resumed: the time during which the
 * watch was not polled. What happened in that time is delivered in another way, or not at all.
 */
export interface Absence {
  readonly from_ms: number;
  readonly to_ms: number;
  /** Set if what happened in that time raises no alert, whatever the configuration says. */
  readonly from_now?: true;
  /**
   * For a list that is read from its newest end: set if that end was read since the watch was
   * resumed.
   */
  readonly head_read?: true;
  /** Set if everything that happened in that time was read. */
  readonly done?: true;
}

/**
 * When the only feed of a watch was last read, in epoch ms, by the id of the watch. A feed that
 * replaces it is registered as of that time, because items since then were never read.
 */
export type ReadUntil = ReadonlyMap<string, number>;

export interface PauseChange {
  readonly atMs: number;
  /** Whether what happened while the watch was not polled raises no alert. */
  readonly isFromNow?: boolean;
  /** The person who asked for it, for the audit. */
  readonly by?: string;
}

/** The state of the watch before the change. */
export interface PausedBefore {
  readonly wasPaused: boolean;
  readonly awaySinceMs: number | null;
}

/** An account that a watch names in addition to its targets. */
export interface NamedAccountId {
  readonly watchKey: string;
  /** The handle in lower case. */
  readonly handle: string;
  readonly userId: string;
}

/** The account that a target was resolved to. */
export interface ResolvedAccount {
  readonly userId: string;
  readonly username: string;
}

export interface WatchStore {
  /**
   * Makes the stored watches equal to `watches`. New ones get a key and are registered at `nowMs`.
   * Known ones keep key and memory; `movedFrom` transfers the old watch's key. Those that are no
   * longer named are marked as removed (kept for 30 days, and revived if they are added again). If
   * a watch that was paused, disabled or removed is polled again, its targets get `resume_ms` and
   * an `Absence` in their memory; the same holds for a target that was removed. Targets are handled
   * in the same way; a target whose `userId` another row of the watch has takes over that row's
   * memory. Idempotent. Returns the watches in the given order. `onWritten` is called if they
   * differ from those that were registered last.
   */
  registerWatches(
    watches: readonly WatchRegistration[],
    nowMs: number,
    onWritten?: () => void,
    readUntilMs?: ReadUntil,
  ): Promise<readonly WatchState[]>;
  /**
   * Stores the account of a target. If another row of the watch already has that user id, that
   * row's memory is used, and the surviving row is returned.
   */
  resolveTarget(ref: TargetRef, account: ResolvedAccount): Promise<TargetState>;
  /** Stores the user ids of named accounts. A handle whose id is already known keeps it. */
  nameAccounts(found: readonly NamedAccountId[]): Promise<void>;
  loadTargets(refs: readonly TargetRef[]): Promise<readonly TargetState[]>;
  setTargetStatus(ref: TargetRef, status: TargetStatus, reason: string): Promise<void>;
  /**
   * Pauses or resumes a watch. Returns undefined if no such watch is configured. The targets of a
   * resumed watch get `resume_ms` and an `Absence`, as in `registerWatches`.
   */
  setPaused(
    watchId: string,
    paused: boolean,
    change: PauseChange,
  ): Promise<PausedBefore | undefined>;
  /**
   * Returns the configured watches, in the order of the configuration; with `ids`, only those with
   * these ids.
   */
  listWatches(ids?: readonly string[]): Promise<readonly WatchState[]>;
  /**
   * Returns the ids of the configured watches that are paused or have an unreadable target, in no
   * particular order. They are few even among thousands of watches.
   */
  stoppedWatches(): Promise<readonly string[]>;
}
