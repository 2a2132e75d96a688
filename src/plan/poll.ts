/**
 * The data of the plan: polls, their subscribers, and their cost. `chirpwatch plan` prints it, the
 * engine runs it.
 */
import type { NamedAccount } from "../model/account.ts";
import type { Freshness, Priority, Schedule, StrategyOverride } from "../model/schedule.ts";
import type { Source, SourceTarget } from "../model/source.ts";
import type { Watch } from "../model/watch.ts";
import type { TargetRegistration, TargetState } from "../model/watch-store.ts";

/** What planning must know of a watch type. Every type in `watches/` provides it. */
export interface Pollable {
  readonly detection: {
    readonly detector: "feed" | "roster" | "reading";
    /**
     * Returns the rule by which the detector works. For a member list, the rule's `mode` says how
     * the list is read.
     */
    rule?(settings: unknown, target: Pick<TargetState, "memory">): object;
  };
  targets(
    settings: unknown,
    watchId: string,
    fingerprint: (source: Source) => string,
  ): readonly TargetRegistration[];
  source(settings: unknown, target: SourceTarget): Source;
  /**
   * Returns the settings with other accounts in place of those that they name in addition to the
   * targets: see named-accounts.ts.
   */
  mapAccounts?(settings: unknown, replace: (account: NamedAccount) => NamedAccount): unknown;
  /**
   * Whether requests name the account by its handle. The handle must then be known, and it can
   * change.
   */
  readonly needsHandle?: boolean;
  /**
   * How often the data of the service can change; set only if a poll before that would show nothing
   * new.
   */
  readonly dataIntervalMs?: number;
  costRequests(settings: unknown): number;
  /**
   * The fields of a profile that change when the target has new items; undefined if no field of a
   * profile shows that.
   */
  readonly probeFields?: readonly string[];
}

/** A watch that uses a poll for one of its targets. */
export interface Subscriber<T extends Pollable = Pollable> {
  readonly watch: Watch;
  readonly type: T;
  readonly watchKey: string;
  readonly targetKey: string;
  /** The name of the target in the configuration. It becomes the label `target`. */
  readonly targetName: string;
  /**
   * When the watch was last resumed; absent if never. Items that polls read before then were not
   * read for this watch.
   */
  readonly returnedAtMs?: number;
  /** The id of the subscriber's own entry in the answer, if the poll is a batch. */
  readonly entry?: string;
  /**
   * The id of the user whose items belong to the subscriber, if the answer contains items of
   * several users.
   */
  readonly author?: string;
}

/** When a poll is due. */
export type PollTiming =
  /**
   * The poll is due whenever one of the subscribers' schedules is. Equal schedules are listed once.
   */
  { readonly kind: "schedule"; readonly schedules: readonly Schedule[] } | FreshTiming;

/**
 * The poll is due when the tweets that it would probably find are worth a request, according to the
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
  /**
   * The source that the poll reads. For a batch, `params` has the entries of all its subscribers.
   */
  readonly source: Source;
  readonly detector: "feed" | "roster" | "reading";
  readonly timing: PollTiming;
  /**
   * The shortest interval between two ticks. With `freshness`, it is the interval at which reads at
   * equal distances would have the requested mean delay.
   */
  readonly intervalMs: number;
  /**
   * How many ms after each tick of its schedule the poll is due. The offset differs between polls,
   * so that polls with the same schedule do not run at the same moment.
   */
  readonly spreadMs: number;
  /** The highest priority of its subscribers. */
  readonly priority: Priority;
  /** The largest depth of its subscribers. */
  readonly maxPages: number;
  readonly overlapMs: number;
  /** The number of requests that one poll makes if everything new fits into one page. */
  readonly costRequests: number;
  readonly subscribers: readonly Subscriber<T>[];
  /** Set if many accounts are read together; `subscribers` are then those of all its members. */
  readonly group?: PollGroup<T>;
}

/**
 * A group: timelines of accounts, member lists of accounts, or keyword searches that are read
 * together.
 */
export interface PollGroup<T extends Pollable = Pollable> {
  readonly kind: "accounts" | "member-lists" | "searches";
  /** The polls that the members would be on their own. Each keeps its own memory. */
  readonly members: readonly Poll<T>[];
  readonly override: StrategyOverride;
  /**
   * The configured interval of full polls, which read every member; absent if the planner decides.
   */
  readonly fullPollEveryMs?: number | undefined;
  /**
   * How many requests per run the probes of this group take on average, beyond those that other
   * groups make at the same instants. Undefined means as many as its accounts need on their own.
   */
  readonly probesPerRun?: number;
  /**
   * Set with `freshness` if other polls request profiles, too, and their requests may have spare
   * slots for all accounts of this group.
   */
  readonly mayBePiggybacked?: true;
  /** The weight of each member in the cost of the group; all weigh the same if it is absent. */
  readonly weights?: readonly number[];
}

/**
 * Returns the id of the account that a timeline or list is about; "" if the source is about no
 * single account.
 */
export const userIdOf = ({ source }: Poll): string => {
  const id = source.params["user_id"];
  return typeof id === "string" ? id : "";
};
