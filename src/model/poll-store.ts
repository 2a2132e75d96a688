/** What a poll stores in one commit, and what the next one reads. */
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
   * The feed's memory: covered ranges, gaps and times of late-arrival rescans. Opaque to the store.
   */
  readonly memory: JsonObject;
  readonly revision: number;
  readonly lastPollAtMs: number | null;
  readonly lastOkAtMs: number | null;
}

export interface SourceChange {
  readonly fingerprint: string;
  /** The new memory; undefined if it is unchanged. */
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
  /** Users are stored as long as their target, tweets for the retention. */
  readonly itemKind: "tweet" | "user";
  readonly verdict: Verdict;
  /** Why, for people: "where is false", "kind retweet not included". Empty for `event`. */
  readonly detail: string;
  readonly occurredAtMs: number;
  readonly eventId?: string;
}

/** The verdict on an item. */
export interface ItemMark {
  readonly verdict: Verdict;
  /** When the verdict was committed. */
  readonly seenAtMs: number;
}

/** An account on a list whose departures are reported, as it was when it was last seen. */
export interface Member {
  readonly id: string;
  readonly username: string;
  readonly displayName: string;
  readonly followersCount: number;
  readonly imageUrl: string;
}

export interface MembersChange extends TargetRef {
  /** Start of the complete read that found the members. */
  readonly seenAtMs: number;
  readonly seen: readonly Member[];
  /** The ids of those that are no longer members. */
  readonly left: readonly string[];
}

/**
 * Keeps a sink from alerting twice on one fact: a later delivery with the same key joins the
 * waiting one, or is a duplicate.
 */
export interface Once {
  readonly key: string;
  readonly withinMs: number;
  /** What the key consists of, for people; absent for the defaults of chats. */
  readonly by?: string;
  /** For a fact that can be undone: if its opposite was delivered last, the fact is news again. */
  readonly undo?: {
    readonly key: string;
    /**
     * The group for further changes after the first few within `withinMs`. It is sent once in that
     * time. If absent, each change is sent on its own.
     */
    readonly summaryGroup?: string;
  };
}

/**
 * What an alert is about. A sink gets the alerts of one watch on one subject in the order in which
 * they happened.
 */
export interface AlertSubject {
  readonly watchKey: string;
  readonly subject: string;
  /**
   * The target as configured, if several targets may have the same subject. If absent, only the
   * subject counts.
   */
  readonly target?: string;
}

export interface NewDelivery {
  readonly eventId: string;
  readonly sink: string;
  /**
   * What the alert is about, for the order of alerts. Absent for an alert that can only be the
   * first on its subject, and for ops alerts: neither has to wait for another.
   */
  readonly about?: AlertSubject;
  /**
   * Set if it follows an alert that the sink got before: the first one on its subject, unless an
   * event is named.
   */
  readonly follows?: { readonly eventId?: string };
  /** Why it goes to its sink, stored for `explain`. */
  readonly routed?: RoutedPlace;
  /**
   * Events with the same key are sent together and in order. An ungrouped event uses its own id.
   */
  readonly groupKey: string;
  readonly groupWaitMs: number;
  readonly groupIntervalMs: number;
  /**
   * For a delivery that waits for a scheduled digest: when the digest is due. The waits of its
   * group do not change that time.
   */
  readonly digestAtMs?: number;
  /** The delivery is held until this time, for example the end of a mute. */
  readonly notBeforeMs: number;
  /** The time interval that holds it until then. */
  readonly heldBy?: string;
  /** Limits the sink to one alert on the same fact within a time. */
  readonly once?: Once | undefined;
  /** A throttle counts messages with the same key together: `sink:<name>` or `route:<path>`. */
  readonly throttleKey?: string;
  /** The name of its route's own template. If absent, the sink's template is used. */
  readonly template?: string | undefined;
  /** Set for an alert on a value that crossed a threshold. */
  readonly level?: LevelOptions | undefined;
  /**
   * The time interval that drops it. The delivery is stored as muted, for `explain`, and never
   * sent.
   */
  readonly mutedBy?: string;
  /**
   * The id of the silence that holds it back. The delivery is stored as silenced, and can be sent
   * later.
   */
  readonly silencedBy?: string;
}

/** An event that waits for its enrichment, and what is known already of its routing. */
export interface NewEnrichment {
  readonly eventId: string;
  readonly watchKey: string;
  /** The sinks that its watch names. */
  readonly ownSinks: readonly string[];
  /**
   * Set if the event came while its watch was not polled: how long a digest of such events gathers.
   */
  readonly gatherMs?: number;
  /** Whether a backfill found it. */
  readonly isBackfilled?: boolean;
}

export interface PollCommit {
  readonly atMs: number;
  readonly source?: SourceChange;
  /** The sources of several polls that were read together and share this commit. */
  readonly sources?: readonly SourceChange[];
  readonly targets: readonly TargetChange[];
  /** The first verdict on an item is kept. */
  readonly verdicts: readonly ItemVerdict[];
  /** Changes of lists whose departures are reported. */
  readonly members?: readonly MembersChange[];
  readonly rechecks?: {
    /** New rechecks, or the changes of known ones. */
    readonly rechecks: readonly Recheck[];
    readonly ended: readonly RecheckRef[];
    readonly late: readonly LateVerdict[];
  };
  /** Wanted edits of messages that show a tweet differently from how it was seen now. */
  readonly edits?: readonly WantedEdit[];
  /**
   * The events, oldest first. An event whose id exists is not stored again, nor are its deliveries.
   */
  readonly events: readonly ChirpEvent[];
  readonly deliveries: readonly NewDelivery[];
  /** The changes of open alerts on values. */
  readonly levels?: readonly LevelStep[];
  /** Enrichments of events whose deliveries are created later. */
  readonly enrichments?: readonly NewEnrichment[] | undefined;
}

export type CommitResult =
  | { readonly status: "committed"; readonly created: ReadonlySet<string> }
  /** A source or target has changed since it was read: read and detect again. */
  | { readonly status: "conflict" };

export interface PollStore {
  /**
   * Returns the states in the requested order. A source that was never polled has empty memory and
   * revision 0.
   */
  loadSources(fingerprints: readonly string[]): Promise<readonly SourceState[]>;
  /** Returns which of `itemIds` have a verdict, per target, in the order of `refs`. */
  knownItems(
    refs: readonly TargetRef[],
    itemIds: readonly string[],
  ): Promise<readonly ReadonlySet<string>[]>;
  /** Returns the verdicts on `itemIds`, per target, in the order of `refs`. */
  itemMarks(
    refs: readonly TargetRef[],
    itemIds: readonly string[],
  ): Promise<readonly ReadonlyMap<string, ItemMark>[]>;
  /** Returns which of `userIds` are members now, per target, in the order of `refs`. */
  knownMembers(
    refs: readonly TargetRef[],
    userIds: readonly string[],
  ): Promise<readonly ReadonlySet<string>[]>;
  /**
   * Returns the members that no read since `sinceMs` has found, and the number of members, absent
   * ones included.
   */
  absentMembers(
    ref: TargetRef,
    sinceMs: number,
  ): Promise<{
    readonly absent: readonly (Member & { readonly seenAtMs: number })[];
    readonly memberCount: number;
  }>;
  /** Commits everything in one transaction, or nothing. */
  commitPoll(commit: PollCommit): Promise<CommitResult>;
}
