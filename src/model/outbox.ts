/**
 * The storage port of the outbox: deliveries that are due, sealed or recorded, and the health of
 * their sinks.
 */
import type { DeadCause } from "./dead-letters.ts";
import type { DigestPeriod, DigestSeries } from "./digest.ts";
import type { EditState } from "./edit-cause.ts";
import type { ChirpEvent } from "./event.ts";
import type { Mark } from "./mark.ts";
import type { RoutedPlace } from "./routed-place.ts";
import type { MessageBody, SealedMessage, SendReceipt } from "./sink.ts";
import type { WaitCount } from "./waiting.ts";

export interface DueMember {
  readonly deliveryId: string;
  readonly event: ChirpEvent;
  readonly watches: readonly string[];
  /** The delivery's group before a throttle moved it into a digest. */
  readonly originalGroupKey?: string | undefined;
  /** The template that the alert's route names, if it names one. */
  readonly template?: string | undefined;
  /**
   * Whether a silence may still hold the delivery back: it waited for the end of a mute, for its
   * group or for a digest, and no operator sent it again.
   */
  readonly canBeSilenced: boolean;
  /** Whether an operator sent the alert again, so that no mute holds it. */
  readonly isReplay: boolean;
  /**
   * Why the alert goes to its sink. Absent if it was created by a release that did not store this.
   */
  readonly routed?: RoutedPlace | undefined;
  /**
   * The events of deliveries that were merged with this one: alerts of other watches about the same
   * fact.
   */
  readonly joined: readonly Pick<ChirpEvent, "watchType" | "labels">[];
  /** The ids of the merged deliveries that are alerts, not follow-ups. */
  readonly joinedIds?: readonly string[] | undefined;
  /** Whether its post was deleted after it was found. */
  readonly isGone?: boolean | undefined;
  /** The person who acknowledged the event; absent if the event is not acknowledged. */
  readonly acknowledged?: Mark | undefined;
  /** True if the alert waits in a digest and has the edited text of its post. */
  readonly isEdited?: boolean | undefined;
  /** The receivers that got the alert before it was sent again. Absent if there are none. */
  readonly taken?: readonly string[] | undefined;
  /** The alert that this follow-up is about, if the sink had it. */
  readonly follows?: FollowedAlert | undefined;
}

/** The current state of an alert that a follow-up is about. */
export interface FollowedAlert {
  readonly deliveryId: string;
  /**
   * The state of the alert.
   * - `waiting`: it was not sent yet. This includes the time during which its message is being
   *   sent.
   * - `deleted`: it was left out because its post is deleted.
   * - `unsent`: the sink did not show it, because it was muted, silenced or given up, or because it
   *   was merged with an alert about another subject.
   */
  readonly state: "waiting" | "sent" | "deleted" | "unsent";
  /** The message, if that can be found at the sink. */
  readonly message?: SentMessage | undefined;
  /**
   * The id of another watch's follow-up that reports the same about the same alert, and that was
   * sent or will be sent before this one.
   */
  readonly saidBy?: string;
  /** The state of the newest edit of the alert's message; absent if none was ever wanted. */
  readonly edit?: { readonly state: EditState; readonly isGone: boolean };
}

/** A sent message, by the sink's own ids of it and of its channel. */
export interface SentMessage {
  readonly id: string;
  readonly ref: string;
  readonly channel?: string;
  /** The first message of its thread or list. */
  readonly first?: { readonly id: string; readonly ref: string };
}

/** Deliveries that are due and are not sent now, with the reasons. */
export interface Withheld {
  /**
   * Deliveries whose posts are deleted. If a delivery about another post was merged with one of
   * them, it is sent instead.
   */
  readonly deletedIds: readonly string[];
  /** Deliveries that are not needed, because another alert says the same. */
  readonly joined: readonly {
    readonly deliveryId: string;
    readonly withId: string;
    readonly detail: string;
  }[];
  /** Follow-ups that are not sent, because the alert that they follow up was not sent. */
  readonly dropped: readonly { readonly deliveryId: string; readonly detail: string }[];
  readonly postponed: { readonly ids: readonly string[]; readonly dueAtMs: number };
}

/**
 * Unsealed deliveries of one sink and group that are due, oldest first. They become one message, or
 * the messages of a digest.
 */
export interface DueGroup {
  readonly sink: string;
  readonly groupKey: string;
  readonly throttleKey: string | null;
  readonly members: readonly DueMember[];
  /** Set for a digest that is too large for one message. */
  readonly series?: DigestSeries | undefined;
  /** When the last delivery of the group was due, in epoch ms. Absent if that was not requested. */
  readonly dueAtMs?: number | undefined;
  /**
   * The period that the last digest of the same schedule covered. Absent for any other group, and
   * before the first.
   */
  readonly lastPeriod?: DigestPeriod | undefined;
  /** The message under which the digest of a snooze is posted; absent for any other group. */
  readonly snoozedOn?: SentMessage | undefined;
}

/** The fields of a delivery by which a mute decides whether it holds the delivery. */
export type MuteableDelivery = Pick<DueMember, "event" | "isReplay" | "routed">;

/** A sealed message that is due for its first or next attempt. */
export interface DueMessage extends SealedMessage {
  readonly attempts: number;
  readonly firstAttemptAtMs: number | null;
  /**
   * The deliveries in the message. Set only if a mute may hold the message; empty for a message
   * about the channel itself.
   */
  readonly members?: readonly MuteableDelivery[] | undefined;
  /**
   * Whether the message must be sealed again because a post was deleted. This applies if its only
   * alert is about that post, or if it was never tried and one of its alerts is.
   */
  readonly isOutdated?: boolean;
}

/** The thread that a new message belongs to. */
export interface ThreadOfMessage {
  readonly key: string;
  /** How long the thread accepts messages, from its first one. */
  readonly windowMs: number;
}

/**
 * Deliveries whose text one template rendered. If the template failed, they have the default text.
 */
export interface WordedDeliveries {
  readonly deliveryIds: readonly string[];
  readonly template: string;
  readonly error?: string;
}

export interface NewMessage extends SealedMessage {
  /** Empty for a message about the channel itself. */
  readonly deliveryIds: readonly string[];
  /**
   * The alerts of other watches that were merged with these when the body was made. The store makes
   * duplicates of those that were merged later. If absent, it does not look for any.
   */
  readonly joinedIds?: readonly string[] | undefined;
  /** Deliveries that the message counts and does not list. */
  readonly summarisedIds?: readonly string[] | undefined;
  /** The type of the sink that rendered the body. */
  readonly sealedFor?: string;
  /** The key of the throttle that counts the message; null if none does. */
  readonly throttleKey: string | null;
  /**
   * The id of the message under which this message is posted. For a part of a digest, the digest's
   * first message.
   */
  readonly parentId?: string | undefined;
  /**
   * The thread that the message belongs to. If the thread has no message yet, this message begins
   * it.
   */
  readonly thread?: ThreadOfMessage | undefined;
  /** The mentions in the message, as `SinkMention.text`. If absent, there are none. */
  readonly mentions?: readonly string[] | undefined;
  /** The name and period of the scheduled digest, if the message is its only or first part. */
  readonly digest?: { readonly name: string; readonly period: DigestPeriod } | undefined;
  /** The deliveries in the message whose text templates rendered. */
  readonly worded?: readonly WordedDeliveries[];
}

/** The number of messages that count against a throttle, and the state of its digest. */
export interface ThrottleState {
  /** The number of messages sealed since the requested time. */
  readonly sealed: number;
  /** When the digest that is being gathered is due, in epoch ms; null if there is none. */
  readonly digestDueAtMs: number | null;
  /** When the last digest was sealed; null if there was none. */
  readonly digestSealedAtMs: number | null;
  /** When a message last announced in the channel that alerts are gathered. */
  readonly announcedAtMs: number | null;
}

/**
 * The instruction to gather everything that is due under a throttle's key and may not be sent now.
 */
export interface Overflow {
  readonly sink: string;
  readonly throttleKey: string;
  readonly nowMs: number;
  /** The group key of the digest that gathers these deliveries. */
  readonly digestKey: string;
  readonly digestDueAtMs: number;
  /**
   * The message that announces the digest in the channel, in the group
   * `announcementGroup(throttleKey)`.
   */
  readonly announcement?: NewMessage;
}

/**
 * The deliveries of one sealed message: those that it lists, oldest first, and those that it only
 * counts.
 */
export interface MessageMembers {
  readonly listed: readonly DueMember[];
  readonly summarised: readonly DueMember[];
  /** The period that it covers, if it is a scheduled digest. */
  readonly period?: DigestPeriod | undefined;
}

/** A message that replaces a part of another one. */
export interface MessagePart {
  readonly id: string;
  readonly body: MessageBody;
  readonly deliveryIds: readonly string[];
}

/** An open message and the messages that are sent instead of it, in their order. */
export interface MessageSplit {
  readonly messageId: string;
  readonly parts: readonly MessagePart[];
  /** When and why the message was split. Both are stored as a failed attempt at each part. */
  readonly atMs: number;
  readonly error: string;
}

export type DeliveryResult =
  | ({ readonly messageId: string; readonly kind: "sent"; readonly atMs: number } & SendReceipt)
  /** `countAttempt` is false for Retry-After, which uses up no step of the retry schedule. */
  | {
      readonly messageId: string;
      readonly kind: "retry";
      readonly atMs: number;
      readonly nextAttemptAtMs: number;
      readonly error: string;
      readonly countAttempt: boolean;
      /** The receivers that have the message now, if others do not. */
      readonly taken?: readonly string[] | undefined;
    }
  | {
      readonly messageId: string;
      readonly kind: "dead";
      readonly atMs: number;
      readonly error: string;
      readonly cause: DeadCause;
      /** False if the message is given up without another attempt. */
      readonly countAttempt: boolean;
    };

export interface SinkHealth {
  readonly sink: string;
  /** Open: the sink fails and gets one probe at a time, the next one at `probeAtMs`. */
  readonly breaker: "closed" | "open";
  /**
   * The kind of the last failure: `destination` lasts until somebody changes something, `transient`
   * may end without help.
   */
  readonly cause: "destination" | "transient";
  /** The last failure; empty while the breaker is closed. */
  readonly reason: string;
  /** What the operator can do about that failure; may be empty. */
  readonly hint: string;
  readonly openedAtMs: number | null;
  readonly probeAtMs: number | null;
  /**
   * Set if the sink is disabled: the place whose receiver answered that it does not exist any more
   * (410). The sink is not probed until it has a different place or an operator resumes it. Null
   * otherwise.
   */
  readonly goneFrom: string | null;
  /** Whether the operator was notified that it fails, and not yet that it works again. */
  readonly isReported: boolean;
  /** When the operator was last notified that this sink fails. */
  readonly reportedAtMs: number | null;
}

/** A sink that was renamed. */
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
   * Returns due groups and messages of these sinks, at most `limit` together. A group with a sealed
   * message that is not done yet is left out, which preserves the order. A message waits until the
   * message above it in its thread is done. Groups in `busy` (keys of `busyKey`) are skipped,
   * because one of their messages is being sent. `inHand` is the number of messages that the caller
   * has: while no more are open at a sink, none of its messages is read.
   */
  dueWork(query: {
    readonly nowMs: number;
    readonly sinks: readonly string[];
    readonly busy: ReadonlySet<string>;
    readonly inHand?: number | undefined;
    readonly limit: number;
  }): Promise<{
    readonly groups: readonly DueGroup[];
    readonly messages: readonly DueMessage[];
  }>;
  /** Returns when the next delivery or attempt of these sinks is due; null if nothing waits. */
  nextDueAt(sinks: readonly string[]): Promise<number | null>;
  /** Records the deliveries that are not sent, in one transaction. */
  withhold(withheld: Withheld): Promise<void>;
  /** Unseals messages that are not under way: their deliveries wait as before. */
  revertSealed(messageIds: readonly string[]): Promise<void>;
  /** Seals messages. Messages of one group in one call are sent in that order. */
  seal(messages: readonly NewMessage[]): Promise<void>;
  /**
   * Records results. Alerts of the sinks in `escalating` begin to count for their escalation; if it
   * is undefined, no sink has any.
   */
  record(results: readonly DeliveryResult[], escalating?: ReadonlySet<string>): Promise<void>;
  /**
   * Returns the period of the last digest of a schedule that was sealed for a sink; null before the
   * first.
   */
  digestPeriod(sink: string, name: string): Promise<DigestPeriod | null>;
  /** Records from when on digests of a schedule are sent, if that was not recorded yet. */
  beginDigests(sink: string, name: string, nowMs: number): Promise<void>;
  /** Whether deliveries wait in a digest of a schedule that is due at `nowMs`. */
  hasDueDigest(sink: string, name: string, nowMs: number): Promise<boolean>;
  membersOf(messageId: string): Promise<MessageMembers>;
  /**
   * Replaces an open message with several, in one transaction. The first of them gets its position,
   * its thread and its mentions.
   */
  splitMessage(split: MessageSplit): Promise<void>;
  /**
   * Returns when a sink's messages last mentioned people, by `SinkMention.text`. Counts messages
   * that were sealed and not given up.
   */
  lastMentions(sink: string): Promise<ReadonlyMap<string, number>>;
  /**
   * Moves the due deliveries of a throttle into its digest, and seals the message that announces
   * the digest, in one transaction.
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
   * Makes waiting messages of a sink due now, in the order in which they were sealed. Called when
   * its breaker has closed.
   */
  wakeSink(sink: string, nowMs: number): Promise<void>;
  /**
   * Moves the whole queue of a sink to its new name, in one transaction. Returns how much was
   * moved; 0 if nothing is left under the old name.
   */
  moveSink(move: MovedSink): Promise<number>;
  /**
   * Unseals a sink's messages that were sealed for another type: their deliveries wait as before.
   * Returns their number.
   */
  unseal(sink: string, type: string): Promise<number>;
  outboxStats(): Promise<readonly OutboxStats[]>;
  /** Returns why waiting deliveries wait, by sink and reason. */
  countWaiting(nowMs: number): Promise<readonly WaitCount[]>;
}
