/**
 * The plan as data: polls, who shares them, what they cost. Printed by `chirpwatch plan`, run by
 * the engine.
 */
import type { NamedAccount } from "../model/account.ts";
import type { Freshness, Priority, Schedule, StrategyOverride } from "../model/schedule.ts";
import type { Source, SourceTarget } from "../model/source.ts";
import type { Watch } from "../model/watch.ts";
import type { TargetRegistration, TargetState } from "../model/watch-store.ts";

/** What planning must know of a watch type; every type in watches/ has it. */
export interface Pollable {
  readonly detection: {
    readonly detector: "feed" | "roster" | "reading";
    /** Of a roster: says by `mode` how its list is read. */
    rule?(settings: unknown, target: Pick<TargetState, "memory">): object;
  };
  targets(
    settings: unknown,
    watchId: string,
    fingerprint: (source: Source) => string,
  ): readonly TargetRegistration[];
  source(settings: unknown, target: SourceTarget): Source;
  /** Accounts that the settings name beside the targets, each replaced: see named-accounts.ts. */
  mapAccounts?(settings: unknown, replace: (account: NamedAccount) => NamedAccount): unknown;
  /**
   * Whether the service is asked by the account's handle, which must be known then and can change.
   */
  readonly needsHandle?: boolean;
  /** Its data change no more often: an earlier poll shows nothing more. */
  readonly dataIntervalMs?: number;
  costRequests(settings: unknown): number;
  /**
   * Fields of a profile that move when the target has news; undefined where a profile shows
   * nothing.
   */
  readonly probeFields?: readonly string[];
}

/** One watch's interest in one target of a poll. */
export interface Subscriber<T extends Pollable = Pollable> {
  readonly watch: Watch;
  readonly type: T;
  readonly watchKey: string;
  readonly targetKey: string;
  /** As written in the YAML: the `target` label. */
  readonly targetName: string;
  /** When it came back last: what was read before then was not read for it. */
  readonly returnedAtMs?: number;
  /** Where the poll is a batch: the id of its own entry in the answer. */
  readonly entry?: string;
  /** Where the answer mixes accounts: the user id whose items are its own. */
  readonly author?: string;
}

/** When a poll is due. */
export type PollTiming =
  /** Whenever one of the schedules of its subscribers is; each schedule is listed once. */
  { readonly kind: "schedule"; readonly schedules: readonly Schedule[] } | FreshTiming;

/** When what it would find is worth the request, so that it is found as fresh as that. */
export interface FreshTiming {
  readonly kind: "freshness";
  readonly freshness: Freshness;
}

export interface Poll<T extends Pollable = Pollable> {
  /** Fingerprint of the source; of a batch: of what its entries have in common, and its number. */
  readonly key: string;
  /** Of a batch: with the entries of all its subscribers in `params`. */
  readonly source: Source;
  readonly detector: "feed" | "roster" | "reading";
  readonly timing: PollTiming;
  /**
   * The shortest between two ticks; under freshness, of even reads with the mean delay that is
   * asked for.
   */
  readonly intervalMs: number;
  /** How far it is moved from its ticks. */
  readonly spreadMs: number;
  /** The highest of its subscribers. */
  readonly priority: Priority;
  /** The deepest of its subscribers. */
  readonly maxPages: number;
  readonly overlapMs: number;
  /** Requests of one poll with less than a page of news. */
  readonly costRequests: number;
  readonly subscribers: readonly Subscriber<T>[];
  /** Where many accounts are read together: with the subscribers of all its members. */
  readonly group?: PollGroup<T>;
}

/** Timelines of accounts, lists about accounts, or keyword searches, that are read together. */
export interface PollGroup<T extends Pollable = Pollable> {
  readonly kind: "accounts" | "member-lists" | "searches";
  /** What each would be by itself; its memory stays its own. */
  readonly members: readonly Poll<T>[];
  readonly override: StrategyOverride;
  /** As written; the planner's choice where nothing is. */
  readonly fullPollEveryMs?: number | undefined;
  /**
   * Requests a run, on average, that its probes add to those of others in the same instants;
   * undefined: as many as its accounts take.
   */
  readonly probesPerRun?: number;
  /**
   * Under freshness: others request profiles, too, and may have spare slots for all of its
   * accounts.
   */
  readonly mayBePiggybacked?: true;
  /** What each member takes of the cost, against the others; all alike where nothing is said. */
  readonly weights?: readonly number[];
}

/** The account that a timeline, or a list, is about; "" where it is about none. */
export const userIdOf = ({ source }: Poll): string => {
  const id = source.params["user_id"];
  return typeof id === "string" ? id : "";
};
