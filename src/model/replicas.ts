/**
 * Several daemons on one state, as a port: which replicas there are, and what each does. One of
 * them leads. It plans, does what is done once for all, and assigns the work; each replica does its
 * share. A replica whose row is gone was declared dead, and the state accepts nothing more from it.
 */

import type { Clock } from "./clock.ts";
import { unitHash } from "./hash.ts";

/**
 * The kinds of work that replicas share. `poll`: polls of the plan, by their shard. `destination`:
 * a place that messages go to.
 */
export type WorkKind = "poll" | "destination";

const SHARDS = 1_024;

/**
 * Returns the shard of a poll. Polls are shared out by shard, so that what replicas read and write
 * does not grow with the number of watches.
 */
export const shardOf = (pollKey: string): string => String(Math.floor(unitHash(pollKey) * SHARDS));

export interface Work {
  readonly kind: WorkKind;
  readonly key: string;
  /**
   * How much work it is. The leader gives replicas shares with equal sums of this. The unit is the
   * same for all work of a kind.
   */
  readonly cost: number;
}

export interface WorkClaim extends Work {
  /** The replica that does it; null if none does yet. */
  readonly replica: string | null;
  /** The replica that will do it once `replica` hands it over. */
  readonly wanted: string;
}

export interface ReplicaState {
  readonly id: string;
  /**
   * The address as the server sees it, and the beginning of its id: `10.0.0.3#k3x9`. Several may
   * run on one machine.
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
  /** Returns what the replica does, including what it must hand over. */
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
   * Announces that what replicas keep in memory has changed, so that all others read it again.
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
 * What a daemon does of the work: everything if it is alone, its share if several daemons run on
 * one state.
 */
export interface Share {
  readonly isAlone: boolean;
  /** Whether it plans, and does what is done once for all replicas. */
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
   * Called before an action that cannot be undone and that no transaction protects. False if this
   * replica may have been declared dead.
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

/** What the session of a replica knows. */
export interface Membership {
  readonly id: string;
  readonly isLeading: () => boolean;
  /** The clock that all replicas use. */
  readonly clock: Clock;
  /**
   * Whether the state accepts writes from this replica. If that was asked a moment ago, the same
   * answer is returned at once.
   */
  isPresent(): Promise<boolean>;
  /** Whether the replica has a session on the server now. */
  isConnected(): boolean;
  /**
   * Declares that this replica cannot do its part: others do it from now on, and the process ends.
   * `why` follows "Other replicas took over on …:".
   */
  giveUp(why: string): Promise<void>;
  /**
   * Sets whether the replica may lead. If not, it leaves the lead to another one. True by default.
   */
  setMayLead(mayLead: boolean): void;
}
