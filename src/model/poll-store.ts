/** The storage port for polls: what a poll stores in one commit, and what the next one loads. */
import type { ArchivedRead } from "./archive.ts";
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

/**
 * A member of a list for which departures are reported, with the data from when it was last seen.
 */
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
  /** The ids of accounts that are not members any more. */
  readonly left: readonly string[];
}

/**
 * Prevents two alerts about one fact at a sink. A later delivery with the same key within
 * `withinMs` is merged with the waiting one, or is a duplicate.
 */
export interface Once {
  readonly key: string;
  readonly withinMs: number;
  /** The parts of the key as text, for people; absent for the defaults of chats. */
  readonly by?: string;
  /**
   * Set for a fact that can be undone. If the opposite fact (`key`) was delivered last, this fact
   * is news again.
   */
  readonly undo?: {
    readonly key: string;
    /**
     * The key of the group for further changes after the first few within `withinMs`. The group is
     * sent once in that time. If absent, each change is sent on its own.
     */
    readonly summaryGroup?: string;
  };
}

/**
 * The subject of an alert. A sink gets the alerts of one watch about one subject in the order in
 * which they happened.
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
   * The alert's subject, for the order of alerts. Absent for ops alerts and for an alert that must
   * be the first about its subject, because they need not wait for another.
   */
  readonly about?: AlertSubject;
  /**
   * Set for a follow-up of an earlier alert of the same sink: the one with `eventId` or, without
   * it, the first one about the subject.
   */
  readonly follows?: { readonly eventId?: string };
  /** Why it goes to its sink, stored for `explain`. */
  readonly routed?: RoutedPlace;
  /**
   * The key of the delivery's group. Deliveries with the same key are sent together and in order.
   * Without a group, it is the event's own id.
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
  /** The name of the time interval that holds the delivery until then. */
  readonly heldBy?: string;
  /** Limits the sink to one alert about the same fact within a time. */
  readonly once?: Once | undefined;
  /** The key of the throttle that counts its message: `sink:<name>` or `route:<path>`. */
  readonly throttleKey?: string;
  /** The name of its route's own template. If absent, the sink's template is used. */
  readonly template?: string | undefined;
  /** Set for an alert about a value that crossed a threshold. */
  readonly level?: LevelOptions | undefined;
  /**
   * The name of the time interval that drops the delivery. The delivery is then stored as muted, so
   * that `explain` can show it, and never sent.
   */
  readonly mutedBy?: string;
  /**
   * The id of the silence that holds it back. The delivery is stored as silenced, and can be sent
   * later.
   */
  readonly silencedBy?: string;
}

/** An event that waits for its enrichment, with the parts of its routing that are known before. */
export interface NewEnrichment {
  readonly eventId: string;
  readonly watchKey: string;
  /** The sinks that the event's watch names. */
  readonly ownSinks: readonly string[];
  /**
   * For how long a digest gathers such events; set if the event happened while its watch was not
   * polled.
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
  /**
   * The edits that messages need, because they show a tweet differently from how it was seen now.
   */
  readonly edits?: readonly WantedEdit[];
  /**
   * The events, oldest first. If an event with the same id is stored already, the event and its
   * deliveries are left out.
   */
  readonly events: readonly ChirpEvent[];
  readonly deliveries: readonly NewDelivery[];
  /** The changes of open alerts on values. */
  readonly levels?: readonly LevelStep[];
  /** Enrichments of events whose deliveries are created later. */
  readonly enrichments?: readonly NewEnrichment[] | undefined;
  /** What was new, for the archive. Absent if there is none. */
  readonly archive?: readonly ArchivedRead[];
}

export type CommitResult =
  | { readonly status: "committed"; readonly created: ReadonlySet<string> }
  /**
   * Nothing was committed, because a source or target has changed since it was loaded. The caller
   * must load and detect again.
   */
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
