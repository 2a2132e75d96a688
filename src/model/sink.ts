/**
 * The interface between the delivery loop and a sink, which renders a message once, sends sealed
 * messages, and classifies errors.
 */
import type { DigestCause, DigestPeriod, DigestSeries } from "./digest.ts";
import type { EditCause, FollowUp } from "./edit-cause.ts";
import { ChirpwatchError, type ErrorDetails } from "./errors.ts";
import type { ChirpEvent, EventBody, Labels } from "./event.ts";
import type { Json, JsonText } from "./json.ts";
import type { Mark } from "./mark.ts";
import type { NeutralMessage } from "./message.ts";
import type { Region, Wording } from "./template.ts";

/** An event to be sent to one sink, with every watch that matched the same subject. */
export interface OutboxEvent {
  readonly event: ChirpEvent;
  readonly watches: readonly string[];
  /** How many changes of one account this event summarises. The event is the last of them. */
  readonly changes?: number;
  /** True if the post was edited after it was found. The event then holds the new text. */
  readonly isEdited?: boolean | undefined;
  /**
   * The person who acknowledged the event. Absent if it is not acknowledged, or if a footer of the
   * message says who acknowledged it.
   */
  readonly acknowledged?: Mark | undefined;
  /** The wording from its template, which `read` uses. */
  readonly wording?: Wording;
  /** The template that was used for the text, and the error if it failed. */
  readonly worded?: { readonly template: string; readonly error?: string };
}

/** Returns the page on which people act on these alerts; undefined if they cannot be acted on. */
export type ActAt = (events: readonly OutboxEvent[]) => string | undefined;

/** The input of `render`: the events of one message, oldest first. */
export interface Batch {
  readonly events: readonly OutboxEvent[];
  /** Whether the message is marked as a sample in what people see. */
  readonly sample: boolean;
  /** Why the events are in one digest; undefined if it is not a digest. */
  readonly cause?: DigestCause | undefined;
  /** The scheduled digest to which the events belong. Only such a digest may have no events. */
  readonly digest?: BatchDigest | undefined;
  /** The people whom the message mentions, in the sink's own notation. Absent if there are none. */
  readonly mentions?: readonly string[];
  /**
   * Whether the message is about an alert that was sent before. Then it opens no thread and no
   * forum post, and is not published to the channel's followers.
   */
  readonly isFollowUp?: boolean;
  /** Absent if messages of the sink do not link to the page. */
  readonly actAt?: ActAt | undefined;
  /** Reads an event as a message, by its watch type. */
  read(event: OutboxEvent): NeutralMessage;
}

/** The heading of a scheduled digest, for a sink without lists. */
export interface BatchDigest {
  readonly title: string;
  readonly period: DigestPeriod;
}

/** The alerts that a digest counts and does not list. */
export interface Unlisted {
  readonly count: number;
  /** Where the alerts are listed: a web address or a command. */
  readonly where: string;
}

/** A part of a digest with its own heading. */
export interface DigestSection {
  /** Empty if the digest has a single section, which needs no heading. */
  readonly title: string;
  /** True if the section holds events of one kind, which its title names. */
  readonly isKind: boolean;
  /** The number of all its alerts, listed or not. */
  readonly count: number;
  /** The events that the section lists, in this order. */
  readonly items: readonly OutboxEvent[];
}

/** A list of alerts, before a sink has rendered it. */
export interface Digest {
  /** Undefined for a group that is only a list because of its size. */
  readonly cause: DigestCause | undefined;
  /** The subject of the digest, for its heading. */
  readonly title: string;
  /** The period that it covers; absent for a group that is not a digest. */
  readonly period?: DigestPeriod | undefined;
  /** The format of times and numbers for its readers. */
  readonly region?: Region | undefined;
  /** The number of alerts of each event type, listed or not. */
  readonly counts: ReadonlyMap<string, number>;
  /** The sections, the largest first. */
  readonly sections: readonly DigestSection[];
  readonly unlisted: Unlisted | undefined;
  /** The page on which people act on the alerts. Absent if the digest does not link to it. */
  readonly actionsUrl?: string | undefined;
  /** The number of alerts left out because their posts are gone; absent if there are none. */
  readonly deleted?: number;
  /** The place in a series, if there were too many alerts for one digest. */
  readonly series?: DigestSeries | undefined;
  /**
   * The people whom the digest's first message mentions, in the sink's own notation. Absent if
   * there are none.
   */
  readonly mentions?: readonly string[];
  /**
   * Whether all alerts of the digest are follow-ups. Such a digest opens no thread and is not
   * published.
   */
  readonly isFollowUp?: boolean;
  /**
   * Returns the number by which an alert is sorted, as text for people: "♥ 1.2K". Undefined for an
   * alert without that number.
   */
  valueText?(event: OutboxEvent): string | undefined;
  /** Reads an event as a message, by its watch type. */
  read(event: OutboxEvent): NeutralMessage;
}

/**
 * The rendered form of a message. A body that was read from the state is a `JsonText` with the same
 * value. Opaque outside the sink that rendered it.
 */
export type MessageBody = Json | JsonText;

/** A message of a digest. */
export interface DigestPart {
  /** The events that this message lists. */
  readonly events: readonly OutboxEvent[];
  readonly body: MessageBody;
}

/** A message that is committed before the first attempt and resent unchanged. */
export interface SealedMessage {
  /** The idempotency key, which is the same for every attempt. At most 25 characters. */
  readonly id: string;
  readonly sink: string;
  readonly groupKey: string;
  readonly sealedAtMs: number;
  readonly body: MessageBody;
  /**
   * The line below it when it was sealed, which is not part of `body`; empty for none. Absent if
   * the sink cannot edit its messages, whose bodies have the line.
   */
  readonly footer?: string | undefined;
  /**
   * The number of alerts in the message; 1 if absent. A message that is refused as too large is
   * divided, and a single alert is shortened.
   */
  readonly alerts?: number;
  /**
   * The receivers that already have the message, because an attempt reached only some of several.
   * If absent, none has it.
   */
  readonly taken?: readonly string[] | undefined;
  /**
   * The sink's own id of the message below which this message is placed, if the sink has threads or
   * replies. It is known once that message was sent.
   */
  readonly threadRef?: string | undefined;
  /** The sink's own id of that message's channel, if it named one. */
  readonly threadChannel?: string | undefined;
}

/** The maximum number of messages to one place within a time. */
export interface SendLimit {
  readonly count: number;
  readonly intervalMs: number;
}

/** A receiver that will never get a message which others have got. */
export interface MissedReceiver {
  readonly receiver: string;
  readonly error: string;
}

export interface SendReceipt {
  /** The sink's own id of the message: Slack's ts, Discord's message id. */
  readonly ref?: string;
  /** The sink's own id of its channel. */
  readonly channel?: string;
  /** Whether the message must be published to the channel's followers, by its `ref`. */
  readonly crosspost?: boolean;
  /** How many milliseconds the place accepts no further message, as its answer said. */
  readonly holdMs?: number;
  /**
   * The sink's own id of the message below which this message should have been placed. That message
   * is gone, so this message was posted on its own.
   */
  readonly missingThread?: string;
  /**
   * The receivers that refused the message permanently, while others have it. The message is not
   * repeated, and the operator is notified.
   */
  readonly missed?: readonly MissedReceiver[];
  /**
   * The receivers that have the message, if `missed` names others. Absent if the sink does not know
   * them.
   */
  readonly taken?: readonly string[];
}

/** How a sink for people shows more alerts than fit into one message. */
export interface SinkLists {
  /** More alerts than this are shown as a list, in as many messages as needed. */
  readonly above: number;
  /**
   * Renders a digest in at least one part. A part is rendered when it is asked for, so that the
   * caller can give way between two of them. Pure. Every event of the sections is in exactly one
   * part, and every part that has a line for an event contains it. Never throws because of content.
   */
  render(digest: Digest): Iterable<DigestPart>;
  /**
   * Renders the message that announces that alerts are gathered, and when the next digest comes.
   * Pure. Absent if the sink's receiver needs no such message.
   */
  announce?(nextAtMs: number): Json;
}

/**
 * The limits of one message of a sink without lists. Further events are sent in further messages. A
 * single event is sent whatever its size.
 */
export interface SinkBatches {
  readonly maxEvents: number;
  /** The maximum size of the body, in bytes. */
  readonly maxBytes: number;
}

/**
 * A configured mention of people in a sink's messages. Whether a message contains it is decided
 * when the message is sealed.
 */
export interface SinkMention {
  /**
   * The mention in the sink's own notation. It is also the key under which the time of its last use
   * is stored.
   */
  readonly text: string;
  /** The minimum time between two messages that mention them; 0 for no limit. */
  readonly minIntervalMs: number;
  /** Whether the people are mentioned for an event with this body and these labels. */
  matches(body: EventBody, labels?: Labels): boolean;
}

/** Decides which messages of a sink go into one thread. */
export interface SinkThreads {
  readonly by: "conversation" | "group" | "watch";
  /** How long a thread accepts messages, from its first one. */
  readonly windowMs: number;
  /** The place where the sink posts. A thread does not continue elsewhere. */
  readonly place: string;
}

/** What the buttons below a message depend on, beside the settings of its sink. */
export interface MessageFacts {
  /** The message's own id in the state. */
  readonly id: string;
  /** The number of alerts in the message; 1 if absent. */
  readonly alerts?: number;
  /** The line below it; empty or absent if it has none. */
  readonly footer?: string | undefined;
}

/** The new form of a sent message. */
export interface MessageEdit extends MessageFacts {
  /** The sink's own id of the message. */
  readonly ref: string;
  /** The sink's own id of the message's channel; null if the sink named none. */
  readonly channel: string | null;
  /** The result of `render`. */
  readonly body: Json;
}

/** How a sink edits the messages that it sent. */
export interface SinkUpdates {
  /** The causes for which the sink edits its messages. */
  readonly causes: ReadonlySet<EditCause>;
  /** When a follow-up is sent in addition to an edit that says the same. */
  readonly followUp: FollowUp;
  /**
   * Makes one attempt.
   * @throws SinkError, of kind `message` if this message cannot be edited, or not in this way
   */
  send(edit: MessageEdit, signal: AbortSignal): Promise<void>;
}

/** How a sink shows the line below a message that says who acknowledged its alerts. */
export interface SinkFooter {
  /** Returns the body with the line below it, within the vendor's limits. Pure. */
  add(body: MessageBody, footer: string): Json;
  /**
   * Makes one attempt to edit a sent message. Absent if the sink cannot.
   * @throws SinkError, of kind `message` if this message cannot be edited, or not in this way
   */
  edit?(edit: MessageEdit, signal: AbortSignal): Promise<void>;
}

export interface Sink {
  /**
   * Renders a message. Pure. Never throws because of content: it shortens texts, splits nothing,
   * loses no event.
   */
  render(batch: Batch): MessageBody;
  /** Absent if one message can hold any number of events. */
  readonly lists?: SinkLists;
  /** Absent if the operator sets no limits. */
  readonly batches?: SinkBatches;
  /** Absent if messages are not threaded. */
  readonly threads?: SinkThreads | undefined;
  /**
   * The message under which a follow-up is posted: the alert's message itself, or the first message
   * of its thread. Absent if follow-ups are posted on their own.
   */
  readonly replies?: "message" | "thread";
  /** The mentions of this sink's settings. Absent if there are none. */
  readonly mentions?: readonly SinkMention[];
  /**
   * Makes one attempt.
   * @throws SinkError
   */
  send(message: SealedMessage, signal: AbortSignal): Promise<SendReceipt>;
  /** Absent if sent messages are never edited because of their tweets. */
  readonly updates?: SinkUpdates;
  /** Absent if its messages have no line below them. */
  readonly footer?: SinkFooter;
  /**
   * Publishes a message to the channel's followers, in one attempt. A message that is already
   * published counts as done.
   * @throws SinkError
   */
  crosspost?(ref: string, signal: AbortSignal): Promise<void>;
}

/**
 * The kind of a sink's failure.
 * - `message`: this message will never be accepted (permanent 4xx). It becomes a dead letter.
 * - `destination`: the destination accepts no message at present (401, 403, 404, 410, revoked,
 *   archived). The sink's breaker opens.
 * - `rate_limited`: the sink must wait for `retry.afterMs`, which the vendor asked for;
 *   `model/asked-wait.ts` decides how much of this wait is respected.
 * - `transient`: any other failure.
 */
export type SinkFailure = "message" | "destination" | "rate_limited" | "transient";

/**
 * The fields of a refusal of kind `message` with which the receiver says that it accepts no message
 * of this size.
 */
export const TOO_LARGE = { tooLarge: true } as const;

export const isTooLarge = ({ kind, fields }: SinkError): boolean =>
  kind === "message" && fields["tooLarge"] === true;

/**
 * Returns the fields of a transient failure that concerns only some of several receivers. `taken`
 * are all receivers that have the message now. The message is sent again only to the others, and
 * the failure does not affect the sink's health.
 */
export const takenBy = (taken: readonly string[]) => ({ taken }) as const;

export function receiversOf({ kind, fields }: SinkError): readonly string[] {
  const { taken } = fields;
  return kind === "transient" && Array.isArray(taken) ? taken.map(String) : [];
}

/** What the operator can do if the sink gives no better hint. */
const USUAL_HINTS: Readonly<Record<SinkFailure, string>> = {
  message:
    "The receiver refuses this content: see its log. An alert that is refused becomes a dead letter, which `chirpwatch replay --dead` sends again.",
  destination: "The receiver takes no messages from this sink: check the sink's settings.",
  rate_limited:
    "Waiting messages are sent when the wait that the receiver asked for is over; `chirpwatch resume --sink` tries at once. If this continues, check whether something else uses up the receiver's limit.",
  transient: "If this continues, look for the cause at the receiver.",
};

export class SinkError extends ChirpwatchError {
  readonly kind: SinkFailure;
  readonly status: number | undefined;
  constructor(kind: SinkFailure, message: string, status?: number, details: ErrorDetails = {}) {
    const hint = details.hint || USUAL_HINTS[kind];
    super(`SINK_${kind.toUpperCase()}`, message, {
      retry: kind === "message" ? "no" : "later",
      ...details,
      hint,
    });
    this.kind = kind;
    this.status = status;
  }
}
