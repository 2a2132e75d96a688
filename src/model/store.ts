/** The state as a port, in coarse operations: one method is one transaction. Implemented in state/. All times epoch ms, ids text. */
import type { ChirpEvent, Verdict } from "./event.ts";
import type { Json, JsonObject } from "./json.ts";
import type { SealedMessage } from "./sink.ts";

// ---- watches and targets -------------------------------------------------------------------------------------------

export interface TargetRegistration {
  /** Stable within the watch: `@handle`, `id:44196397`, a query's fingerprint, a community id. */
  readonly key: string;
  /** As written in the YAML: the `target` label. */
  readonly name: string;
  /** Known at once when the YAML gives an id. */
  readonly userId?: string;
}

export interface WatchRegistration {
  readonly id: string;
  readonly type: string;
  readonly movedFrom?: string;
  readonly targets: readonly TargetRegistration[];
}

/** `pending` until the first answer; `not_indexed`, `unavailable` and `misconfigured` carry a reason. */
export type TargetStatus = "pending" | "ok" | "not_indexed" | "unavailable" | "misconfigured";

export interface TargetState {
  readonly watchKey: string;
  readonly key: string;
  readonly name: string;
  readonly userId: string | null;
  readonly username: string | null;
  readonly registeredAtMs: number;
  /** Null until the baseline is committed. */
  readonly baselineAtMs: number | null;
  /** The detector's own memory; `{}` at first. Opaque to the store. */
  readonly memory: JsonObject;
  /** Grows with every change of this row; commits carry the one they read. */
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
  /** In the order of the registration. */
  readonly targets: readonly TargetState[];
  /** Items with a verdict so far. */
  readonly knownItems: number;
}

export interface WatchStore {
  /**
   * Makes the stored watches equal to `watches`: new ones get a key and are registered at `nowMs`; known ones keep key and
   * memory; `movedFrom` hands the old watch's key over; those no longer named are marked removed (kept 30 days, and revived when they
   * come back). Targets likewise; a target whose `userId` another row of the watch holds takes over that row's memory. Idempotent.
   * Returned in the order given.
   */
  registerWatches(watches: readonly WatchRegistration[], nowMs: number): Promise<readonly WatchState[]>;
  /** Stores who a target is. When another row of the watch has that user id already, that row's memory is taken over and the row returned is the survivor. */
  resolveTarget(watchKey: string, targetKey: string, userId: string, username: string): Promise<TargetState>;
  loadTargets(refs: readonly TargetRef[]): Promise<readonly TargetState[]>;
  setTargetStatus(ref: TargetRef, status: TargetStatus, reason: string): Promise<void>;
  setPaused(watchId: string, paused: boolean): Promise<boolean>;
  listWatches(): Promise<readonly WatchState[]>;
}

export interface TargetRef {
  readonly watchKey: string;
  readonly targetKey: string;
}

// ---- polls ---------------------------------------------------------------------------------------------------------

export interface SourceState {
  readonly fingerprint: string;
  /** Covered intervals, gaps, times of sweeps: the feed's memory. Opaque to the store. */
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

/** An account on a list whose leaving is told: kept as it was when it was last seen. */
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

export interface RecheckRef extends TargetRef {
  readonly tweetId: string;
}

/** A fresh tweet that is looked at again: one that was told, or one that its `where` kept back. */
export interface Recheck extends RecheckRef {
  readonly dueAtMs: number;
  /** Nothing is asked after that. */
  readonly untilMs: number;
  /** The event that told it; "" while it is kept back. */
  readonly eventId: string;
  /** The `where` that kept it back; "" of one that was told. */
  readonly condition: string;
  /** Answers in a row that were without it. */
  readonly absences: number;
}

/** An item that was filtered and is told after all. */
export interface LateVerdict extends TargetRef {
  readonly itemId: string;
  readonly eventId: string;
}

export interface NewDelivery {
  readonly eventId: string;
  readonly sink: string;
  /** Events of one key go out together and in order; an ungrouped event uses its own id. */
  readonly groupKey: string;
  readonly groupWaitMs: number;
  readonly groupIntervalMs: number;
  /** Held until then, e.g. the end of a mute. */
  readonly notBeforeMs: number;
  /** Chat sinks tell one subject once within `onceWithinMs`: a later delivery with the same key joins the waiting one, or is a duplicate. */
  readonly onceKey?: string;
  readonly onceWithinMs?: number;
  /** Messages of one key are counted together by a throttle: `sink:<name>` or `route:<path>`. */
  readonly throttleKey?: string;
  /** Why it is not sent at all: the delivery is stored as muted, for `explain`. */
  readonly mutedBy?: string;
}

export interface PollCommit {
  readonly atMs: number;
  readonly source?: SourceChange;
  readonly targets: readonly TargetChange[];
  /** The first verdict of an item stays. */
  readonly verdicts: readonly ItemVerdict[];
  /** Of lists whose leaving is told. */
  readonly members?: readonly MembersChange[];
  readonly rechecks?: {
    /** New, or with what changed. */
    readonly rechecks: readonly Recheck[];
    readonly ended: readonly RecheckRef[];
    readonly late: readonly LateVerdict[];
  };
  /** Oldest first. An event whose id exists is not stored again, nor are its deliveries. */
  readonly events: readonly ChirpEvent[];
  readonly deliveries: readonly NewDelivery[];
}

export type CommitResult =
  | { readonly status: "committed"; readonly born: ReadonlySet<string> }
  /** A source or target changed since it was read: read again, detect again. */
  | { readonly status: "conflict" };

export interface PollStore {
  /** States in the order asked for; a source never polled has empty memory and revision 0. */
  loadSources(fingerprints: readonly string[]): Promise<readonly SourceState[]>;
  /** Which of `itemIds` have a verdict, per target, in the order of `refs`. */
  knownItems(refs: readonly TargetRef[], itemIds: readonly string[]): Promise<readonly ReadonlySet<string>[]>;
  /** Which of `userIds` are members now, per target, in the order of `refs`. */
  knownMembers(refs: readonly TargetRef[], userIds: readonly string[]): Promise<readonly ReadonlySet<string>[]>;
  /** Members that no read since `sinceMs` has found, and how many members there are, absent ones included. */
  absentMembers(
    ref: TargetRef,
    sinceMs: number,
  ): Promise<{ readonly absent: readonly (Member & { readonly seenAtMs: number })[]; readonly memberCount: number }>;
  /** Everything in one transaction, or nothing. */
  commitPoll(commit: PollCommit): Promise<CommitResult>;
}

export interface RecheckStore {
  /** Due ones of watches that are neither paused nor removed, at most `most`, by tweet. */
  dueRechecks(nowMs: number, most: number): Promise<readonly Recheck[]>;
  /** In no particular order; ids nobody knows are left out. */
  eventsById(ids: readonly string[]): Promise<readonly ChirpEvent[]>;
}

/** After `fromMs`, up to and including `toMs`. */
export interface TimeSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What `volume.*` events are made from; they do not count themselves. */
export interface VolumeStore {
  /** Events of a watch by the time they occurred, in the order of `spans`. */
  countEvents(watchKey: string, spans: readonly TimeSpan[]): Promise<readonly number[]>;
  /** The last one, or the last of a type that occurred at `sinceMs` or later; undefined when there is none or it is forgotten. */
  newestEvent(
    watchKey: string,
    wanted?: { readonly type: string; readonly sinceMs: number },
  ): Promise<{ readonly id: string; readonly detectedAtMs: number } | undefined>;
}

// ---- ledger --------------------------------------------------------------------------------------------------------

export interface Reservation {
  readonly endpoint: string;
  /** Watch id the request is for, or a command's name; "" for housekeeping. */
  readonly watch: string;
  /** False for requests the service does not bill: they count for the rate only. */
  readonly billed: boolean;
  readonly atMs: number;
  /** At most `count` requests under way or answered less than `intervalMs` ago, over all processes on this state. */
  readonly rate: { readonly count: number; readonly intervalMs: number };
  /** An attempt without an answer frees its slot this long after it was reserved. */
  readonly holdMs: number;
  /** No grant beyond `max` billed requests since `sinceMs`, whichever key paid. */
  readonly line?: SpendingLine;
  /** Who may pay; the rate is each key's own. Undefined: one key, which has no name. */
  readonly keys?: readonly [KeyOffer, ...KeyOffer[]];
}

export interface SpendingLine {
  readonly sinceMs: number;
  readonly max: number;
}

/** A key under its name in the ledger: never the key itself. */
export interface KeyOffer {
  readonly key: string;
  /** This key's own line; undefined while nobody knows it. */
  readonly line?: SpendingLine;
}

export type Grant =
  /** `key` names who pays: of the keys with room, the one with most left under its line. */
  | { readonly kind: "granted"; readonly ledgerId: string; readonly key: string }
  | { readonly kind: "rate"; readonly retryAtMs: number }
  | { readonly kind: "quota"; readonly spent: number };

export interface LedgerLine {
  readonly watch: string;
  readonly endpoint: string;
  /** Name of the key that paid; "" in entries from before keys had names. */
  readonly key: string;
  readonly requests: number;
}

/** Between two moments at which the service said what a key has left: each known as asked and answered. */
export interface AuditSpan {
  readonly key: string;
  readonly from: { readonly askedAtMs: number; readonly answeredAtMs: number };
  readonly to: { readonly askedAtMs: number; readonly answeredAtMs: number };
  /** An attempt this close to one of the moments may be counted on either side of it. */
  readonly marginMs: number;
}

/** Billed attempts of a span: `certain` were answered well within it; `possible` adds those that failed or overlap its ends. */
export interface AuditCount {
  readonly certain: number;
  readonly possible: number;
}

export interface Ledger {
  /** Durable before it returns `granted`. */
  reserve(reservation: Reservation): Promise<Grant>;
  /**
   * `status` is the HTTP status, or null when no answer arrived ("unknown"). Counts for this store at once; it is durable, and seen by other
   * processes, with whatever is written next, or a few milliseconds later. Lost in a crash, it keeps its slot a while longer.
   */
  settle(ledgerId: string, atMs: number, status: number | null): Promise<void>;
  /** Billed attempts since a time, by watch, endpoint and key, the largest first. */
  spentSince(sinceMs: number): Promise<{ readonly total: number; readonly lines: readonly LedgerLine[] }>;
  /** Billed attempts since a time, hour by hour in order; hours without any are left out. */
  spentByHour(sinceMs: number): Promise<readonly { readonly hourMs: number; readonly requests: number }[]>;
  /** What a key's own count of the span must lie between. */
  auditSpan(span: AuditSpan): Promise<AuditCount>;
}

// ---- outbox --------------------------------------------------------------------------------------------------------

/** Unsealed deliveries of one sink and group that are due: to become one message, oldest first. */
export interface DueGroup {
  readonly sink: string;
  readonly groupKey: string;
  readonly throttleKey: string | null;
  readonly members: readonly { readonly deliveryId: string; readonly event: ChirpEvent; readonly watches: readonly string[] }[];
}

/** A sealed message that is due for its first or next attempt. */
export interface DueMessage extends SealedMessage {
  readonly attempts: number;
  readonly firstAttemptAtMs: number | null;
}

export interface NewMessage extends SealedMessage {
  readonly deliveryIds: readonly string[];
  readonly throttleKey: string | null;
}

export type DeliveryResult =
  | { readonly messageId: string; readonly kind: "sent"; readonly atMs: number; readonly ref?: string }
  /** `countAttempt` is false for Retry-After: it uses up no step. */
  | {
      readonly messageId: string;
      readonly kind: "retry";
      readonly atMs: number;
      readonly nextAttemptAtMs: number;
      readonly error: string;
      readonly countAttempt: boolean;
    }
  | { readonly messageId: string; readonly kind: "dead"; readonly atMs: number; readonly error: string };

export interface SinkHealth {
  readonly sink: string;
  /** Open: nothing is sent until `probeAtMs`. */
  readonly breaker: "closed" | "open";
  readonly reason: string;
  readonly openedAtMs: number | null;
  readonly probeAtMs: number | null;
}

export interface OutboxStats {
  readonly sink: string;
  readonly waiting: number;
  readonly oldestAtMs: number | null;
  readonly sent: number;
  readonly dead: number;
}

export interface Outbox {
  /**
   * Due work of the sinks named, at most `limit` groups and messages together. A group with a sealed message that is not yet done
   * gives nothing new: order holds. Groups named in `busy` (`sink\ngroupKey`) are skipped: they are under way.
   */
  dueWork(query: {
    readonly nowMs: number;
    readonly sinks: readonly string[];
    readonly busy: ReadonlySet<string>;
    readonly limit: number;
  }): Promise<{
    readonly groups: readonly DueGroup[];
    readonly messages: readonly DueMessage[];
  }>;
  /** When the next delivery or attempt of these sinks is due; null when nothing waits. */
  nextDueAt(sinks: readonly string[]): Promise<number | null>;
  seal(messages: readonly NewMessage[]): Promise<void>;
  record(results: readonly DeliveryResult[]): Promise<void>;
  /** Puts unsealed deliveries off, e.g. a throttled surplus until the interval ends. */
  postpone(deliveryIds: readonly string[], untilMs: number): Promise<void>;
  /** Messages sealed with this throttle key since a time, oldest first, as times. */
  sealedSince(throttleKey: string, sinceMs: number): Promise<readonly number[]>;
  loadSinkHealth(): Promise<readonly SinkHealth[]>;
  saveSinkHealth(health: SinkHealth): Promise<void>;
  /** Makes waiting messages of a sink due at once: its breaker closed. */
  wakeSink(sink: string, nowMs: number): Promise<void>;
  outboxStats(): Promise<readonly OutboxStats[]>;
}

// ---- history and notes ---------------------------------------------------------------------------------------------

export interface ItemHistory {
  readonly watch: string;
  readonly target: string;
  readonly itemId: string;
  readonly verdict: Verdict;
  readonly detail: string;
  readonly occurredAtMs: number;
  readonly seenAtMs: number;
  readonly event?: ChirpEvent;
  readonly deliveries: readonly {
    readonly sink: string;
    /** waiting, held, sealed, sent, dead, muted, duplicate */
    readonly state: string;
    readonly messageId: string | null;
    readonly attempts: number;
    readonly sentAtMs: number | null;
    readonly ref: string | null;
    readonly detail: string;
  }[];
}

export interface History {
  /** Every verdict on an item id, over all watches. */
  explainItem(itemId: string): Promise<readonly ItemHistory[]>;
  /** The newest events, newest first. */
  recentEvents(limit: number): Promise<readonly ChirpEvent[]>;
  /** The user id a handle had when it was last seen in an event, a target or a roster; null when never. */
  userIdOfHandle(handle: string): Promise<string | null>;
}

export interface Notes {
  readNote(name: string): Promise<Json | null>;
  writeNote(name: string, value: Json): Promise<void>;
}

export interface Upkeep {
  /** Deletes verdicts of tweets, sent messages, events and ledger rows older than the retention, and watches removed 30 days ago; never what waits. */
  prune(nowMs: number, retentionMs: number): Promise<void>;
  /** Writes something durable and throws STORE_WRITE_FAILED when it cannot: for /healthz and the disk-full probe. */
  proveWritable(nowMs: number): Promise<void>;
}

export interface Store extends WatchStore, PollStore, RecheckStore, VolumeStore, Ledger, Outbox, History, Notes, Upkeep {
  close(): Promise<void>;
}
