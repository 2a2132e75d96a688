/** What a poll leaves behind, in one commit, and what the next one asks of it. */
import type { ChirpEvent, Verdict } from "./event.ts";
import type { WantedEdit } from "./edit.ts";
import type { JsonObject } from "./json.ts";
import type { LevelOptions, LevelStep } from "./level.ts";
import type { RoutedPlace } from "./routed-place.ts";
import type { LateVerdict, Recheck, RecheckRef } from "./recheck.ts";
import type { TargetRef, TargetStatus } from "./watch-store.ts";

export interface SourceState {
  readonly fingerprint: string;
  /**
   * Covered ranges, gaps, times of late-arrival rescans: the feed's memory. Opaque to the store.
   */
  readonly memory: JsonObject;
  readonly revision: number;
  readonly lastPollAtMs: number | null;
  readonly lastOkAtMs: number | null;
}

export interface SourceChange {
  readonly fingerprint: string;
  /** Undefined: unchanged. */
  readonly memory?: JsonObject;
  readonly expectedRevision: number;
  readonly polledAtMs: number;
  readonly ok: boolean;
}

export interface TargetChange extends TargetRef {
  readonly expectedRevision: number;
  readonly memory?: JsonObject;
  readonly baselineAtMs?: number;
  readonly status?: TargetStatus;
  readonly statusReason?: string;
  readonly username?: string;
}

export interface ItemVerdict extends TargetRef {
  readonly itemId: string;
  /** Users are kept as long as their target, tweets for the retention. */
  readonly itemKind: "tweet" | "user";
  readonly verdict: Verdict;
  /** Why, for people: "where is false", "kind retweet not included". Empty for `event`. */
  readonly detail: string;
  readonly occurredAtMs: number;
  readonly eventId?: string;
}

/** What became of an item that has a verdict. */
export interface ItemMark {
  readonly verdict: Verdict;
  /** When that was committed. */
  readonly seenAtMs: number;
}

/** An account on a list whose departures are reported: kept as it was when it was last seen. */
export interface Member {
  readonly id: string;
  readonly username: string;
  readonly displayName: string;
  readonly followersCount: number;
  readonly imageUrl: string;
}

export interface MembersChange extends TargetRef {
  /** Start of the complete read that found them. */
  readonly seenAtMs: number;
  readonly seen: readonly Member[];
  /** Ids of those that are members no longer. */
  readonly left: readonly string[];
}

/**
 * How a sink is kept from alerting twice on one fact: a later delivery with the same key joins the
 * waiting one, or is a duplicate.
 */
export interface Once {
  readonly key: string;
  readonly withinMs: number;
  /** What the key is of, for people; absent for the defaults of chats. */
  readonly by?: string;
  /**
   * Of a fact that can be undone: what undoes it was delivered last, and the fact is news again.
   */
  readonly undo?: {
    readonly key: string;
    /**
     * The group that holds what comes after the first few changes within the time: it goes out once
     * in that time. Absent: each goes out by itself.
     */
    readonly summaryGroup?: string;
  };
}

/**
 * What an alert is about. A sink gets the alerts of one watch on one subject in the order in which
 * they came about.
 */
export interface AlertSubject {
  readonly watchKey: string;
  readonly subject: string;
  /**
   * The target as it is written, where several may have the same subject. Absent: the subject alone
   * counts.
   */
  readonly target?: string;
}

export interface NewDelivery {
  readonly eventId: string;
  readonly sink: string;
  /**
   * Absent for the first alert that there can be on a subject, and for ops alerts: nothing comes
   * before them.
   */
  readonly about?: AlertSubject;
  /**
   * It speaks about an alert that the sink got before: about the first on its subject, unless an
   * event is named.
   */
  readonly follows?: { readonly eventId?: string };
  /** Kept for `explain`. */
  readonly routed?: RoutedPlace;
  /** Events of one key go out together and in order; an ungrouped event uses its own id. */
  readonly groupKey: string;
  readonly groupWaitMs: number;
  readonly groupIntervalMs: number;
  /**
   * Of one that waits for a digest with a schedule: when that is due. Its group neither hurries nor
   * delays it.
   */
  readonly digestAtMs?: number;
  /** Held until then, e.g. the end of a mute. */
  readonly notBeforeMs: number;
  /** The time interval that holds it until then. */
  readonly heldBy?: string;
  /** On chat sinks: one alert on the fact in a time. */
  readonly once?: Once;
  /** Messages of one key are counted together by a throttle: `sink:<name>` or `route:<path>`. */
  readonly throttleKey?: string;
  /** Name of its route's own template; absent: the sink's. */
  readonly template?: string;
  /** Of an alert on a value that crossed a threshold. */
  readonly level?: LevelOptions;
  /** Why it is not sent at all: the delivery is stored as muted, for `explain`. */
  readonly mutedBy?: string;
  /**
   * The id of the silence that holds it back: the delivery is stored as silenced, and can be sent
   * later.
   */
  readonly silencedBy?: string;
}

/** An event that waits for its enrichment, and what is known now of where it goes then. */
export interface NewEnrichment {
  readonly eventId: string;
  readonly watchKey: string;
  /** The sinks that its watch names. */
  readonly ownSinks: readonly string[];
  /** It came while its watch was away: how long a digest of such events gathers. */
  readonly gatherMs?: number;
  /** A backfill found it. */
  readonly isBackfilled?: boolean;
}

export interface PollCommit {
  readonly atMs: number;
  readonly source?: SourceChange;
  /** The sources of polls that were read together. */
  readonly sources?: readonly SourceChange[];
  readonly targets: readonly TargetChange[];
  /** The first verdict of an item stays. */
  readonly verdicts: readonly ItemVerdict[];
  /** Of lists whose departures are reported. */
  readonly members?: readonly MembersChange[];
  readonly rechecks?: {
    /** New, or with what changed. */
    readonly rechecks: readonly Recheck[];
    readonly ended: readonly RecheckRef[];
    readonly late: readonly LateVerdict[];
  };
  /** Of messages that were sent and show a tweet otherwise than it was seen now. */
  readonly edits?: readonly WantedEdit[];
  /** Oldest first. An event whose id exists is not stored again, nor are its deliveries. */
  readonly events: readonly ChirpEvent[];
  readonly deliveries: readonly NewDelivery[];
  /** The changes of open alerts on values. */
  readonly levels?: readonly LevelStep[];
  /** Of events whose deliveries are created later. */
  readonly enrichments?: readonly NewEnrichment[];
}

export type CommitResult =
  | { readonly status: "committed"; readonly created: ReadonlySet<string> }
  /** A source or target changed since it was read: read again, detect again. */
  | { readonly status: "conflict" };

export interface PollStore {
  /** States in the order asked for; a source never polled has empty memory and revision 0. */
  loadSources(fingerprints: readonly string[]): Promise<readonly SourceState[]>;
  /** Which of `itemIds` have a verdict, per target, in the order of `refs`. */
  knownItems(
    refs: readonly TargetRef[],
    itemIds: readonly string[],
  ): Promise<readonly ReadonlySet<string>[]>;
  /** Those of `itemIds` that have a verdict, with it; per target, in the order of `refs`. */
  itemMarks(
    refs: readonly TargetRef[],
    itemIds: readonly string[],
  ): Promise<readonly ReadonlyMap<string, ItemMark>[]>;
  /** Which of `userIds` are members now, per target, in the order of `refs`. */
  knownMembers(
    refs: readonly TargetRef[],
    userIds: readonly string[],
  ): Promise<readonly ReadonlySet<string>[]>;
  /**
   * Members that no read since `sinceMs` has found, and how many members there are, absent ones
   * included.
   */
  absentMembers(
    ref: TargetRef,
    sinceMs: number,
  ): Promise<{
    readonly absent: readonly (Member & { readonly seenAtMs: number })[];
    readonly memberCount: number;
  }>;
  /** Everything in one transaction, or nothing. */
  commitPoll(commit: PollCommit): Promise<CommitResult>;
}
