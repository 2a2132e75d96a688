/** Deliveries on their way, as a port: due, sealed, recorded; and the health of their sinks. */
import type { DeadCause } from "./dead-letters.ts";
import type { DigestPeriod, DigestSeries } from "./digest.ts";
import type { EditState } from "./edit-cause.ts";
import type { ChirpEvent } from "./event.ts";
import type { RoutedPlace } from "./routed-place.ts";
import type { MessageBody, SealedMessage, SendReceipt } from "./sink.ts";
import type { WaitCount } from "./waiting.ts";

export interface DueMember {
  readonly deliveryId: string;
  readonly event: ChirpEvent;
  readonly watches: readonly string[];
  /** The group it was in before a throttle moved it into a digest. */
  readonly originalGroupKey?: string;
  /** That of its route, where that has one of its own. */
  readonly template?: string;
  /**
   * It waited for the end of a mute, for its group or for a digest, and no operator sent it again:
   * a silence may still hold it back.
   */
  readonly canBeSilenced: boolean;
  /** An operator had it sent again: no mute holds it. */
  readonly isReplay: boolean;
  /** Why it goes to its sink. Absent in states from before that was kept. */
  readonly routed?: RoutedPlace;
  /** Events of the deliveries that joined this one: alerts of other watches on the same fact. */
  readonly joined: readonly Pick<ChirpEvent, "watchType" | "labels">[];
  /** Its post was found to be gone after it was found. */
  readonly isGone?: boolean;
  /** True for an alert that waits in a digest and holds the edited text of its post. */
  readonly isEdited?: boolean;
  /** Those of several receivers who had it before it was sent again. Absent: nobody. */
  readonly taken?: readonly string[];
  /** The alert that it is a follow-up to, where the sink had one. */
  readonly follows?: FollowedAlert;
}

/** An alert that a follow-up speaks about, as it fares now. */
export interface FollowedAlert {
  readonly deliveryId: string;
  /**
   * `waiting`: also as long as its message is on its way. `unsent`: the sink showed it to nobody,
   * because it was muted, silenced or given up, or because it joined an alert on another subject.
   */
  readonly state: "waiting" | "sent" | "deleted" | "unsent";
  /** Its message, where that can be found at the sink. */
  readonly message?: SentMessage;
  /**
   * The follow-up of another watch that says the same of the same alert, and was sent or waits
   * before this one.
   */
  readonly saidBy?: string;
  /** What became of the newest edit of that message; absent where none was ever wanted. */
  readonly edit?: { readonly state: EditState; readonly isGone: boolean };
}

/** A message that was sent, by the sink's own ids of it and of the place where it stands. */
export interface SentMessage {
  readonly id: string;
  readonly ref: string;
  readonly channel?: string;
  /** The first of the thread or list that it stands in. */
  readonly first?: { readonly id: string; readonly ref: string };
}

/** Deliveries that are due and do not go out now. */
export interface Withheld {
  /** Their posts are gone. What joined one of them and is about another post takes its place. */
  readonly deletedIds: readonly string[];
  /** Another alert says what they say. */
  readonly joined: readonly {
    readonly deliveryId: string;
    readonly withId: string;
    readonly detail: string;
  }[];
  /** They follow alerts that nobody was shown, and nothing stands for them. */
  readonly dropped: readonly { readonly deliveryId: string; readonly detail: string }[];
  readonly postponed: { readonly ids: readonly string[]; readonly dueAtMs: number };
}

/**
 * Unsealed deliveries of one sink and group that are due: to become one message, or the messages of
 * a digest; oldest first.
 */
export interface DueGroup {
  readonly sink: string;
  readonly groupKey: string;
  readonly throttleKey: string | null;
  readonly members: readonly DueMember[];
  /** Of a digest that is too large for one; absent for any other. */
  readonly series?: DigestSeries;
  /** When the last of it was due. Absent where nobody asked. */
  readonly dueAtMs?: number;
  /**
   * What the last digest of the same schedule was about; absent for any other group, and before the
   * first.
   */
  readonly lastPeriod?: DigestPeriod;
}

/** What a mute must know of a delivery. */
export type MuteableDelivery = Pick<DueMember, "event" | "isReplay" | "routed">;

/** A sealed message that is due for its first or next attempt. */
export interface DueMessage extends SealedMessage {
  readonly attempts: number;
  readonly firstAttemptAtMs: number | null;
  /**
   * Its deliveries. Set only where a mute may hold it; empty for a message about the channel
   * itself.
   */
  readonly members?: readonly MuteableDelivery[];
  /**
   * Its only alert, or one of several where it was never tried, is about a post that is gone: it is
   * to be sealed anew without that.
   */
  readonly isOutdated?: boolean;
}

/** A thread, as far as it is known before its first message is. */
export interface ThreadOfMessage {
  readonly key: string;
  /** From its first message on. */
  readonly windowMs: number;
}

/** Deliveries that one template worded, or failed to: then they have the default words. */
export interface WordedDeliveries {
  readonly deliveryIds: readonly string[];
  readonly template: string;
  readonly error?: string;
}

export interface NewMessage extends SealedMessage {
  /** Empty for a message about the channel itself. */
  readonly deliveryIds: readonly string[];
  /** Deliveries that it counts and does not list. */
  readonly summarisedIds?: readonly string[];
  /** The type of the sink that laid out its body. */
  readonly sealedFor?: string;
  /** Null: it does not count against a throttle. */
  readonly throttleKey: string | null;
  /** The message it belongs under: of a digest its first one. */
  readonly parentId?: string;
  /** It goes below the first message of that thread, or begins it. */
  readonly thread?: ThreadOfMessage;
  /** The people it calls: `SinkMention.text`. Absent: nobody. */
  readonly mentions?: readonly string[];
  /** The digest with a schedule that it is, or begins, and what that is about. */
  readonly digest?: { readonly name: string; readonly period: DigestPeriod };
  /** What templates were to word of it. */
  readonly worded?: readonly WordedDeliveries[];
}

/** How full a throttle is, and how far its digest. */
export interface ThrottleState {
  /** Messages sealed since the time asked for. */
  readonly sealed: number;
  /** When the digest that gathers is due; null when none does. */
  readonly digestDueAtMs: number | null;
  /** When the last one was sealed; null when none was. */
  readonly digestSealedAtMs: number | null;
  /** When the channel last heard that alerts are gathered. */
  readonly announcedAtMs: number | null;
}

/** Everything that is due under a throttle's key and may not go out now. */
export interface Overflow {
  readonly sink: string;
  readonly throttleKey: string;
  readonly nowMs: number;
  /** The digest it goes into. */
  readonly digestKey: string;
  readonly digestDueAtMs: number;
  /** Says so in the channel; of the group `announcementGroup(throttleKey)`. */
  readonly announcement?: NewMessage;
}

/**
 * What one sealed message holds: the deliveries that it lists, oldest first, and those that it only
 * counts.
 */
export interface MessageMembers {
  readonly listed: readonly DueMember[];
  readonly summarised: readonly DueMember[];
  /** What it is about, where it is a digest with a schedule. */
  readonly period?: DigestPeriod;
}

/** A message that takes the place of a part of another one. */
export interface MessagePart {
  readonly id: string;
  readonly body: MessageBody;
  readonly deliveryIds: readonly string[];
}

/** An open message and the messages that go out instead of it, in their order. */
export interface MessageSplit {
  readonly messageId: string;
  readonly parts: readonly MessagePart[];
  /** Why: kept as a failed attempt at each part. */
  readonly atMs: number;
  readonly error: string;
}

export type DeliveryResult =
  | ({ readonly messageId: string; readonly kind: "sent"; readonly atMs: number } & SendReceipt)
  /** `countAttempt` is false for Retry-After: it uses up no step. */
  | {
      readonly messageId: string;
      readonly kind: "retry";
      readonly atMs: number;
      readonly nextAttemptAtMs: number;
      readonly error: string;
      readonly countAttempt: boolean;
      /** Those of several receivers who have it now. */
      readonly taken?: readonly string[];
    }
  | {
      readonly messageId: string;
      readonly kind: "dead";
      readonly atMs: number;
      readonly error: string;
      readonly cause: DeadCause;
      /** False for what is given up without another attempt. */
      readonly countAttempt: boolean;
    };

export interface SinkHealth {
  readonly sink: string;
  /** Open: the sink fails, and gets one probe at a time, the next at `probeAtMs`. */
  readonly breaker: "closed" | "open";
  /**
   * Of the last failure: `destination` lasts until someone changes something, `transient` may pass.
   */
  readonly cause: "destination" | "transient";
  /**
   * The last failure, and what the operator can do about it; both empty while closed, the hint
   * perhaps also while open.
   */
  readonly reason: string;
  readonly hint: string;
  readonly openedAtMs: number | null;
  readonly probeAtMs: number | null;
  /**
   * Disabled: the place whose receiver said that it is gone for good (410). It gets no probe until
   * the sink has another place, or someone resumes it. Null otherwise.
   */
  readonly goneFrom: string | null;
  /** The operator was notified that it fails, and not yet that it works again. */
  readonly isReported: boolean;
  /** When the operator was last notified that this sink fails. */
  readonly reportedAtMs: number | null;
}

/** A sink that has another name now. */
export interface MovedSink {
  readonly from: string;
  readonly to: string;
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
   * Due work of the sinks named, at most `limit` groups and messages together. A group with a
   * sealed message that is not yet done gives nothing new: order holds. A message waits until the
   * one that it goes below is done. Groups named in `busy` (`sink\ngroupKey`) are skipped: they are
   * under way.
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
  /** In one transaction. */
  withhold(withheld: Withheld): Promise<void>;
  /** Takes back messages that are not under way: what they hold waits, as before it was sealed. */
  takeBack(messageIds: readonly string[]): Promise<void>;
  /** Messages of one group in one call go out in that order. */
  seal(messages: readonly NewMessage[]): Promise<void>;
  record(results: readonly DeliveryResult[]): Promise<void>;
  /**
   * What the last digest of a schedule was about that was sealed for a sink; null before the first.
   */
  digestPeriod(sink: string, name: string): Promise<DigestPeriod | null>;
  /** From now on a digest of a schedule is expected, where none was so far. */
  beginDigests(sink: string, name: string, nowMs: number): Promise<void>;
  /** Whether deliveries wait in a digest of a schedule that is due until then. */
  hasDueDigest(sink: string, name: string, nowMs: number): Promise<boolean>;
  membersOf(messageId: string): Promise<MessageMembers>;
  /**
   * Puts several messages in the place of an open one, in one transaction: its order, its thread
   * and whom it called go to the first of them.
   */
  splitMessage(split: MessageSplit): Promise<void>;
  /**
   * When a sink's messages last called the people named, by `SinkMention.text`: those that were
   * sealed, and not given up.
   */
  lastMentions(sink: string): Promise<ReadonlyMap<string, number>>;
  /**
   * Moves what is due under a throttle's key into its digest, and seals what announces it, in one
   * transaction.
   */
  gather(overflow: Overflow): Promise<void>;
  throttleState(query: {
    readonly sink: string;
    readonly throttleKey: string;
    readonly digestKey: string;
    readonly sinceMs: number;
  }): Promise<ThrottleState>;
  loadSinkHealth(): Promise<readonly SinkHealth[]>;
  saveSinkHealth(health: SinkHealth): Promise<void>;
  /**
   * Makes waiting messages of a sink due at once, in the order in which they were sealed: its
   * breaker closed.
   */
  wakeSink(sink: string, nowMs: number): Promise<void>;
  /**
   * Hands the whole queue of a sink over to its new name, in one transaction. How much there was; 0
   * once it is done.
   */
  moveSink(move: MovedSink): Promise<number>;
  /**
   * Takes back a sink's messages that were sealed for another type: what they hold waits, as before
   * it was sealed. How many there were.
   */
  unseal(sink: string, type: string): Promise<number>;
  outboxStats(): Promise<readonly OutboxStats[]>;
  /** Why what waits does, by sink and reason. */
  countWaiting(nowMs: number): Promise<readonly WaitCount[]>;
}
