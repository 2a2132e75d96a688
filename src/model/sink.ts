/**
 * A sink as the delivery loop sees it: renders once, sends what was sealed, classifies what went
 * wrong.
 */
import type { DigestCause, DigestPeriod, DigestSeries } from "./digest.ts";
import type { EditCause, FollowUp } from "./edit-cause.ts";
import { ChirpwatchError, type ErrorDetails } from "./errors.ts";
import type { ChirpEvent, EventBody, Labels } from "./event.ts";
import type { Json, JsonText } from "./json.ts";
import type { NeutralMessage } from "./message.ts";
import type { Region, Wording } from "./template.ts";

/** One event on its way to one sink, with every watch that matched the same subject. */
export interface OutboxEvent {
  readonly event: ChirpEvent;
  readonly watches: readonly string[];
  /** How many changes there and back it stands for, of which it is the last. */
  readonly changes?: number;
  /** True if the post was edited after it was found. The event then holds the new text. */
  readonly isEdited?: boolean;
  /** What its template made of it; `read` uses it. */
  readonly wording?: Wording;
  /** The template that was to word it, and why that one did not. */
  readonly worded?: { readonly template: string; readonly error?: string };
}

/** What `render` gets: the events of one message, oldest first. */
export interface Batch {
  readonly events: readonly OutboxEvent[];
  /** Marked as a sample in what people see. */
  readonly sample: boolean;
  /** Why they come together, where they are a digest. */
  readonly cause?: DigestCause;
  /** People who are called by it, as the sink writes them; absent: nobody. */
  readonly mentions?: readonly string[];
  /**
   * It speaks about an alert that was sent: it opens no thread and no forum post, and is not for
   * the channel's followers.
   */
  readonly isFollowUp?: boolean;
  /** How the event reads, by its watch type. */
  read(event: OutboxEvent): NeutralMessage;
}

/** What a digest counts and does not list. */
export interface Unlisted {
  readonly count: number;
  /** Where they are listed: a web address or a command. */
  readonly where: string;
}

/** A part of a digest with a heading of its own. */
export interface DigestSection {
  /** Empty where the digest has one section, which needs no heading. */
  readonly title: string;
  /** True if the section holds events of one kind, which its title names. */
  readonly isKind: boolean;
  /** All of its alerts, listed or not. */
  readonly count: number;
  /** The events that the section lists, in this order. */
  readonly items: readonly OutboxEvent[];
}

/** A list of alerts, before a sink has laid it out. */
export interface Digest {
  /** Undefined for a group that is merely too large for anything but a list. */
  readonly cause: DigestCause | undefined;
  /** Whose it is. */
  readonly title: string;
  /** The time that it is about; absent for a group that is no digest. */
  readonly period?: DigestPeriod;
  /** How its readers write times and numbers. */
  readonly region?: Region;
  /** How many alerts there are of each event type, listed or not. */
  readonly counts: ReadonlyMap<string, number>;
  /** The largest first. */
  readonly sections: readonly DigestSection[];
  readonly unlisted: Unlisted | undefined;
  /** How many alerts it leaves out because their posts are gone; absent: none. */
  readonly deleted?: number;
  /** Where it is one of several, because there were too many alerts for one. */
  readonly series?: DigestSeries;
  /** People who are called by its first message, as the sink writes them; absent: nobody. */
  readonly mentions?: readonly string[];
  /** The number by which it is sorted, for people: "♥ 1.2K". Undefined for an alert without it. */
  valueText?(event: OutboxEvent): string | undefined;
  /** How the event reads, by its watch type. */
  read(event: OutboxEvent): NeutralMessage;
}

/**
 * What a sink renders a message to. Read from the state, a `JsonText` is the value that it stands
 * for. Opaque outside the sink that made it.
 */
export type MessageBody = Json | JsonText;

/** One message of a digest. */
export interface DigestPart {
  /** Those that it lists. */
  readonly events: readonly OutboxEvent[];
  readonly body: MessageBody;
}

/** Committed before the first attempt and resent unchanged. */
export interface SealedMessage {
  /** The idempotency key: the same for every attempt. At most 25 characters. */
  readonly id: string;
  readonly sink: string;
  readonly groupKey: string;
  readonly sealedAtMs: number;
  readonly body: MessageBody;
  /**
   * How many alerts it lists; one where it is absent. What is refused as too large goes out in
   * halves, and only one alert is cut shorter.
   */
  readonly alerts?: number;
  /**
   * Those of its several receivers who have it already: an attempt reached only them. Absent:
   * nobody.
   */
  readonly taken?: readonly string[];
  /**
   * The sink's own id of the message that this one belongs under, where the sink can show that.
   * Known once that one was sent.
   */
  readonly threadRef?: string;
  /** The sink's own id of the place where that one stands, where it named one. */
  readonly threadChannel?: string;
}

/** So many messages to one place within that time. */
export interface SendLimit {
  readonly count: number;
  readonly intervalMs: number;
}

/** One of several receivers that will never have a message which others have. */
export interface MissedReceiver {
  readonly receiver: string;
  readonly error: string;
}

export interface SendReceipt {
  /** The sink's own id of the message: Slack's ts, Discord's message id. */
  readonly ref?: string;
  /** The sink's own id of the place where it stands. */
  readonly channel?: string;
  /** The message is to be published to the channel's followers, by its `ref`. */
  readonly crosspost?: boolean;
  /**
   * The place takes the next message only after that: its answer said that none is left until then.
   */
  readonly holdMs?: number;
  /**
   * The message that it was to go below, by the sink's own id: that is gone, and this one stands by
   * itself.
   */
  readonly missingThread?: string;
  /**
   * Receivers that refused it for good, while others have it. It is not repeated; the operator
   * hears of them.
   */
  readonly missed?: readonly MissedReceiver[];
  /** All who have it, where `missed` names others. Absent where the sink does not know who. */
  readonly taken?: readonly string[];
}

/** How a sink for people shows more alerts than one message can. */
export interface SinkLists {
  /** More alerts than these are a list, in as many messages as it takes. */
  readonly above: number;
  /**
   * Pure. Every event of the sections is in exactly one part, and every part that has a line of one
   * holds it. Never throws for content.
   */
  render(digest: Digest): readonly DigestPart[];
  /**
   * Says that alerts are gathered from now on, and when the next digest comes. Pure. Absent where
   * nobody waits for that.
   */
  announce?(nextAtMs: number): Json;
}

/**
 * How much a sink without lists puts into one message; what is more goes into several. One event is
 * sent whatever its size.
 */
export interface SinkBatches {
  readonly maxEvents: number;
  /** Of the body as it is sent. */
  readonly maxBytes: number;
}

/**
 * People whom a sink's messages call, as it is configured. Who is called by which message is
 * decided when that is sealed.
 */
export interface SinkMention {
  /** As the sink writes it, and by what the last time is remembered. */
  readonly text: string;
  /** From one message that calls them to the next; 0: every message may. */
  readonly minIntervalMs: number;
  /** Whether such an event is worth it. */
  matches(body: EventBody, labels?: Labels): boolean;
}

/** Which messages of a sink go into one thread. */
export interface SinkThreads {
  readonly by: "conversation" | "group" | "watch";
  /** From its first message on. */
  readonly windowMs: number;
  /** Where the sink posts: a thread does not go on elsewhere. */
  readonly place: string;
}

/** A message as it is to look from now on. */
export interface MessageEdit {
  /** The sink's own ids of the message and, where it named one, of the place where that stands. */
  readonly ref: string;
  readonly channel: string | null;
  /** What `render` returned. */
  readonly body: Json;
}

/** How a sink edits the messages that it sent. */
export interface SinkUpdates {
  /** What it edits them for. */
  readonly causes: ReadonlySet<EditCause>;
  /** When a follow-up is sent beside an edit that says the same. */
  readonly followUp: FollowUp;
  /**
   * One attempt. @throws SinkError, of kind `message` where this message cannot be edited, or not
   * to this.
   */
  send(edit: MessageEdit, signal: AbortSignal): Promise<void>;
}

export interface Sink {
  /** Pure. Never throws for content: it trims, splits nothing, loses no event. */
  render(batch: Batch): MessageBody;
  /** Absent where one message takes any number of events. */
  readonly lists?: SinkLists;
  /** Absent where the operator sets no limits. */
  readonly batches?: SinkBatches;
  /** Absent where every message stands by itself. */
  readonly threads?: SinkThreads;
  /**
   * What a follow-up answers: the message itself, or the first of the thread that the message
   * stands in. Absent where it stands by itself.
   */
  readonly replies?: "message" | "thread";
  /** Absent where nobody is ever called. */
  readonly mentions?: readonly SinkMention[];
  /** One attempt. @throws SinkError */
  send(message: SealedMessage, signal: AbortSignal): Promise<SendReceipt>;
  /** Absent where messages stay as they were sent. */
  readonly updates?: SinkUpdates;
  /**
   * Publishes a message to the channel's followers; one that is published already counts as done.
   * One attempt. @throws SinkError
   */
  crosspost?(ref: string, signal: AbortSignal): Promise<void>;
}

/**
 * - `message`: this message will never be taken (permanent 4xx): dead letter.
 * - `destination`: nobody can post there now (401, 403, 404, 410, revoked, archived): the sink's
 *   breaker opens.
 * - `rate_limited`: wait `retry.afterMs`, as the vendor said it; what is kept of it is
 *   `model/asked-wait.ts`'s.
 * - `transient`: everything else.
 */
export type SinkFailure = "message" | "destination" | "rate_limited" | "transient";

/**
 * The fields of a refusal of kind `message` by which the receiver says that it takes no message of
 * this size.
 */
export const TOO_LARGE = { tooLarge: true } as const;

export const isTooLarge = ({ kind, fields }: SinkError): boolean =>
  kind === "message" && fields["tooLarge"] === true;

/**
 * The fields of a passing failure that concerns only some of several receivers. `taken`: all who
 * have the message now. It is repeated for the others alone, and says nothing of the sink.
 */
export const takenBy = (taken: readonly string[]) => ({ taken }) as const;

export function receiversOf({ kind, fields }: SinkError): readonly string[] {
  const { taken } = fields;
  return kind === "transient" && Array.isArray(taken) ? taken.map(String) : [];
}

/** What the operator can do where the sink knows nothing better. */
const USUAL_HINTS: Readonly<Record<SinkFailure, string>> = {
  message:
    "The receiver refuses this content: see its log. An alert that is refused becomes a dead letter, which `chirpwatch replay --dead` sends again.",
  destination: "The receiver takes no messages from this sink: check its settings.",
  rate_limited:
    "What waits is sent after that; `chirpwatch resume --sink` tries at once. If this goes on, look whether somebody else uses up the receiver's limit.",
  transient: "If this goes on, look for the cause at the receiver.",
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
