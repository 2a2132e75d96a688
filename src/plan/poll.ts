/**
 * The plan as data: polls, their subscribers, and their cost. `chirpwatch plan` prints it, the
 * engine runs it.
 */
import type { NamedAccount } from "../model/account.ts";
import type { Freshness, Priority, Schedule, StrategyOverride } from "../model/schedule.ts";
import type { Source, SourceTarget } from "../model/source.ts";
import type { Watch } from "../model/watch.ts";
import type { TargetRegistration, TargetState } from "../model/watch-store.ts";

/** What planning must know of a watch type. Every type in watches/ provides it. */
export interface Pollable {
  readonly detection: {
    readonly detector: "feed" | "roster" | "reading";
    /** For a member list: its `mode` says how the list is read. */
    rule?(settings: unknown, target: Pick<TargetState, "memory">): object;
  };
  targets(
    settings: unknown,
    watchId: string,
    fingerprint: (source: Source) => string,
  ): readonly TargetRegistration[];
  source(settings: unknown, target: SourceTarget): Source;
  /**
   * Replaces the accounts that the settings name in addition to the targets: see named-accounts.ts.
   */
  mapAccounts?(settings: unknown, replace: (account: NamedAccount) => NamedAccount): unknown;
  /** Whether requests use the account's handle, which must then be known and can change. */
  readonly needsHandle?: boolean;
  /** How often the data can change; set if a poll before that would show nothing new. */
  readonly dataIntervalMs?: number;
  costRequests(settings: unknown): number;
  /**
   * Fields of a profile that change when the target has news; undefined if a profile shows nothing.
   */
  readonly probeFields?: readonly string[];
}

/** The interest of a watch in one target of a poll. */
export interface Subscriber<T extends Pollable = Pollable> {
  readonly watch: Watch;
  readonly type: T;
  readonly watchKey: string;
  readonly targetKey: string;
  /** The name as configured: the `target` label. */
  readonly targetName: string;
  /**
   * When the watch was last resumed. Items that were read before then were not read for this watch.
   */
  readonly returnedAtMs?: number;
  /** If the poll is a batch: the id of the subscriber's own entry in the answer. */
  readonly entry?: string;
  /** If the answer mixes accounts: the user id whose items are the subscriber's own. */
  readonly author?: string;
}

/** When a poll is due. */
export type PollTiming =
  /** Due whenever one of the subscribers' schedules is. Each schedule is listed once. */
  { readonly kind: "schedule"; readonly schedules: readonly Schedule[] } | FreshTiming;

/**
 * The poll is due when the posts that it would probably find are worth a request, according to the
 * requested freshness.
 */
export interface FreshTiming {
  readonly kind: "freshness";
  readonly freshness: Freshness;
}

export interface Poll<T extends Pollable = Pollable> {
  /**
   * The fingerprint of the source. For a batch it is a hash of what the entries have in common and
   * of the batch's number.
   */
  readonly key: string;
  /** The source. For a batch, `params` has the entries of all its subscribers. */
  readonly source: Source;
  readonly detector: "feed" | "roster" | "reading";
  readonly timing: PollTiming;
  /**
   * The shortest interval between two ticks. Under freshness it is the interval of even reads that
   * have the requested mean delay.
   */
  readonly intervalMs: number;
  /** How long after each tick of its schedule the poll is due. */
  readonly spreadMs: number;
  /** The highest priority of its subscribers. */
  readonly priority: Priority;
  /** The largest depth of its subscribers. */
  readonly maxPages: number;
  readonly overlapMs: number;
  /** The requests of one poll with less than a page of news. */
  readonly costRequests: number;
  readonly subscribers: readonly Subscriber<T>[];
  /** Set if many accounts are read together; `subscribers` are then those of all its members. */
  readonly group?: PollGroup<T>;
}

/** Timelines of accounts, lists about accounts, or keyword searches, that are read together. */
export interface PollGroup<T extends Pollable = Pollable> {
  readonly kind: "accounts" | "member-lists" | "searches";
  /** The polls of the members as they would be on their own. Each keeps its own memory. */
  readonly members: readonly Poll<T>[];
  readonly override: StrategyOverride;
  /** The configured interval of full polls; absent if the planner decides. */
  readonly fullPollEveryMs?: number | undefined;
  /**
   * How many requests per run the probes of this group take on average, beyond those that other
   * groups make at the same instants. Undefined means as many as its accounts need on their own.
   */
  readonly probesPerRun?: number;
  /**
   * Set under freshness if other polls request profiles too and may have spare slots for all
   * accounts of this group.
   */
  readonly mayBePiggybacked?: true;
  /** The weight of each member in the cost of the group; all weigh the same if it is absent. */
  readonly weights?: readonly number[];
}

/** Returns the account that a timeline or list is about; "" if there is none. */
export const userIdOf = ({ source }: Poll): string => {
  const id = source.params["user_id"];
  return typeof id === "string" ? id : "";
};
