/**
 * The port for several daemons on one state: which replicas there are, and what each does. One of
 * them leads: it plans, does work that is done once for all, and assigns the rest. Each replica
 * does its share. If a replica's row is gone, it was declared dead, and the state accepts no writes
 * from it.
 */

import type { Clock } from "./clock.ts";
import { unitHash } from "./hash.ts";

/**
 * The kinds of work that replicas share.
 * - `poll`: the polls of a shard of the plan.
 * - `destination`: the messages to a place.
 */
export type WorkKind = "poll" | "destination";

const SHARDS = 1_024;

/**
 * Returns the shard of a poll. Polls are assigned by shard, so that what replicas read and write
 * does not grow with the number of watches.
 */
export const shardOf = (pollKey: string): string => String(Math.floor(unitHash(pollKey) * SHARDS));

export interface Work {
  readonly kind: WorkKind;
  readonly key: string;
  /**
   * The amount of work, in a unit that is the same for all work of a kind. The leader gives
   * replicas shares with equal sums of it.
   */
  readonly cost: number;
}

export interface WorkClaim extends Work {
  /** The replica that does the work now; null if none does yet. */
  readonly replica: string | null;
  /** The replica that will do the work once `replica` hands it over. */
  readonly wanted: string;
}

export interface ReplicaState {
  readonly id: string;
  /**
   * The replica's address as the server sees it, and the beginning of its id: `10.0.0.3#k3x9`.
   * Several replicas may run on one machine.
   */
  readonly name: string;
  /**
   * The digest of its configuration and the version of its planner. A replica gets a share only if
   * both are the same as the leader's.
   */
  readonly config: string;
  readonly isLeading: boolean;
  readonly joinedAtMs: number;
}

export interface ReplicaStore {
  replicas(): Promise<readonly ReplicaState[]>;
  claims(): Promise<readonly WorkClaim[]>;
  /** Returns the claims of a replica, including those that it must hand over. */
  claimsOf(replica: string): Promise<readonly WorkClaim[]>;
  /**
   * Saves the leader's claims. `changed` are new ones or replace existing ones, `removed` is work
   * that no longer exists. Increases the revision.
   */
  saveClaims(
    changed: readonly WorkClaim[],
    removed: readonly Pick<Work, "kind" | "key">[],
  ): Promise<void>;
  /** Gives up all work of the replica that another replica is to do. */
  handOver(replica: string): Promise<void>;
  setReplicaConfig(replica: string, config: string): Promise<void>;
  shareNews(): Promise<ShareNews>;
  /**
   * Announces that the data of these watches has changed, so that all other replicas read it again.
   * Returns the resulting `announcements`.
   */
  announce(watches: ChangedWatches): Promise<number>;
  /** Returns which watches were announced after the announcement numbered `after`, up to `upTo`. */
  announced(after: number, upTo: number): Promise<ChangedWatches>;
}

/** The ids of watches that were paused or resumed, or whose targets have changed. */
export type ChangedWatches = readonly string[] | "all";

export interface ShareNews {
  /** Increases with every change of claims and configurations. */
  readonly revision: number;
  /** Increases with every `announce`. */
  readonly announcements: number;
  /** Changes with every new delivery and every new event. */
  readonly arrivals: number;
}

/**
 * The share of the work that a daemon does: everything if it is alone, a part if several daemons
 * run on one state.
 */
export interface Share {
  readonly isAlone: boolean;
  /**
   * Whether this replica leads: it makes the plan, and does the work that only one replica may do.
   */
  isLeading(): boolean;
  holds(kind: WorkKind, key: string): boolean;
  /** Submits all the current work of a kind, each key once, for the leader to share out. */
  submit(kind: WorkKind, work: readonly Omit<Work, "kind">[]): Promise<void>;
  /**
   * Announces that these watches, silences or waiting alerts have changed, so that all other
   * replicas read them again.
   */
  announce(watches: ChangedWatches): Promise<void>;
  /**
   * Resolves to whether this replica may act. It is called before an action that cannot be undone
   * and that no transaction protects, and resolves to false if the replica may have been declared
   * dead.
   */
  mayAct(): Promise<boolean>;
}

export const WHOLE: Share = {
  isAlone: true,
  isLeading: () => true,
  holds: () => true,
  submit: async () => undefined,
  announce: async () => undefined,
  mayAct: async () => true,
};

/**
 * The membership of a replica among all daemons on the state, as its session on the server shows
 * it.
 */
export interface Membership {
  readonly id: string;
  readonly isLeading: () => boolean;
  /** The clock that all replicas use. */
  readonly clock: Clock;
  /**
   * Resolves to whether the state accepts writes from this replica. The result of a check is reused
   * for a moment.
   */
  isPresent(): Promise<boolean>;
  /** Whether the replica has a session on the server now. */
  isConnected(): boolean;
  /**
   * Declares that this replica cannot do its share. Other replicas do it from then on, and the
   * process ends. `why` completes "Other replicas took over on …:".
   */
  giveUp(why: string): Promise<void>;
  /**
   * Sets whether the replica may lead. If not, it leaves the lead to another one. True by default.
   */
  setMayLead(mayLead: boolean): void;
}
