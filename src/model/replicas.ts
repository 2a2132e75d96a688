/**
 * Several daemons on one state, as a port: who is there, and who does what. One of them leads. It
 * plans, does what is done once for all, and says who does what; each replica does its share. A
 * replica whose row is gone was declared dead: the state takes nothing more from it.
 */

import type { Clock } from "./clock.ts";
import { unitHash } from "./hash.ts";

/** `poll`: polls of the plan, by their shard. `destination`: a place that messages go to. */
export type WorkKind = "poll" | "destination";

const SHARDS = 1_024;

/**
 * Polls are shared out by the shard that their key falls into: what replicas read and write then
 * does not grow with the watches.
 */
export const shardOf = (pollKey: string): string => String(Math.floor(unitHash(pollKey) * SHARDS));

export interface Work {
  readonly kind: WorkKind;
  readonly key: string;
  /** Shares are even by it. Any unit, the same for all work of a kind. */
  readonly cost: number;
}

export interface WorkClaim extends Work {
  /** Who does it; null: nobody yet. */
  readonly replica: string | null;
  /** Who is to do it once `replica` hands it over. */
  readonly wanted: string;
}

export interface ReplicaState {
  readonly id: string;
  /**
   * Its address as the server sees it, and how its id begins: `10.0.0.3#k3x9`. Several may run on
   * one machine.
   */
  readonly name: string;
  /**
   * Digest of its configuration, and the version of its planner: only those with the leader's get a
   * share.
   */
  readonly config: string;
  readonly isLeading: boolean;
  readonly joinedAtMs: number;
}

export interface ReplicaStore {
  replicas(): Promise<readonly ReplicaState[]>;
  claims(): Promise<readonly WorkClaim[]>;
  /** What the replica does, also what it is to hand over. */
  claimsOf(replica: string): Promise<readonly WorkClaim[]>;
  /**
   * The leader's: `changed` are new ones or replace what is there, `removed` is work that is no
   * more. Counts the revision up.
   */
  saveClaims(
    changed: readonly WorkClaim[],
    removed: readonly Pick<Work, "kind" | "key">[],
  ): Promise<void>;
  /** Hands everything over that another replica is wanted for. */
  handOver(replica: string): Promise<void>;
  setReplicaConfig(replica: string, config: string): Promise<void>;
  shareNews(): Promise<ShareNews>;
  /**
   * What replicas keep in memory changed: all others read it again. Returns `announcements` as it
   * is by then.
   */
  announce(watches: ChangedWatches): Promise<number>;
  /** What was announced after some number, up to another. */
  announced(after: number, upTo: number): Promise<ChangedWatches>;
}

/** By their ids: those that are paused or not, or whose targets are others, than before. */
export type ChangedWatches = readonly string[] | "all";

export interface ShareNews {
  /** Grows with every change of claims and configurations. */
  readonly revision: number;
  /** Grows with every `announce`. */
  readonly announcements: number;
  /** Differs with every delivery that is new, and every event. */
  readonly arrivals: number;
}

/**
 * What a daemon does of the work that there is: all of it where it is alone, and its share where
 * several run on one state.
 */
export interface Share {
  readonly isAlone: boolean;
  /** It plans, and does what is done once for all replicas. */
  isLeading(): boolean;
  holds(kind: WorkKind, key: string): boolean;
  /** All the work of a kind that there is by now, each key once, for the leader to share out. */
  submit(kind: WorkKind, work: readonly Omit<Work, "kind">[]): Promise<void>;
  /**
   * These watches, silences or alerts that wait are others than before: all other replicas read
   * them again.
   */
  announce(watches: ChangedWatches): Promise<void>;
  /**
   * Asked before what cannot be undone, and that no transaction stands before. False: this replica
   * may have been declared dead.
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
  /** The one that all replicas go by. */
  readonly clock: Clock;
  /**
   * Whether the state takes something from this replica: at once where it was asked a moment ago.
   */
  isPresent(): Promise<boolean>;
  /** Whether it has a session on the server now. */
  isConnected(): boolean;
  /**
   * This replica cannot do its part: others do it from here on, and the process ends. `why`: after
   * "Other replicas took over on …:".
   */
  giveUp(why: string): Promise<void>;
  /**
   * False: it does not lead, and leaves the lead to another where it does. True unless it was set.
   */
  setMayLead(mayLead: boolean): void;
}
