/** A sink as the delivery loop sees it: renders once, sends what was sealed, classifies what went wrong. */
import { ChirpwatchError, type ErrorDetails } from "./errors.ts";
import type { ChirpEvent } from "./event.ts";
import type { Json } from "./json.ts";
import type { NeutralMessage } from "./message.ts";

/** One event on its way to one sink, with every watch that matched the same subject. */
export interface OutboxEvent {
  readonly event: ChirpEvent;
  readonly watches: readonly string[];
}

/** What `render` gets: the events of one message, oldest first. `digest` marks a throttled surplus. */
export interface Batch {
  readonly messageId: string;
  readonly events: readonly OutboxEvent[];
  readonly digest: boolean;
  /** Marked as a sample in what people see. */
  readonly sample: boolean;
  /** How the event reads, by its watch type. */
  read(event: OutboxEvent): NeutralMessage;
}

/** Committed before the first attempt and resent unchanged. */
export interface SealedMessage {
  /** The idempotency key: the same for every attempt. At most 25 characters. */
  readonly id: string;
  readonly sink: string;
  readonly groupKey: string;
  readonly sealedAtMs: number;
  /** What `render` returned. Opaque outside the sink that made it. */
  readonly body: Json;
}

export interface SendReceipt {
  /** The sink's own id of the message: Slack's ts, Discord's message id. */
  readonly ref?: string;
}

export interface Sink {
  /** Pure. Never throws for content: it trims, splits nothing, loses no event (a batch too long for one message ends with "and N more" and every id still counted as told). */
  render(batch: Batch): Json;
  /** One attempt. @throws SinkError */
  send(message: SealedMessage, signal: AbortSignal): Promise<SendReceipt>;
  close(): Promise<void>;
}

/**
 * - `message`: this message will never be taken (permanent 4xx): dead letter.
 * - `destination`: nobody can post there now (401, 403, 404, 410, revoked, archived): the sink's breaker opens.
 * - `rate_limited`: wait `retry.afterMs`; uses up no step of the retry ladder.
 * - `transient`: everything else.
 */
export type SinkFailure = "message" | "destination" | "rate_limited" | "transient";

export class SinkError extends ChirpwatchError {
  readonly kind: SinkFailure;
  readonly status: number | undefined;
  constructor(kind: SinkFailure, message: string, status?: number, details: ErrorDetails = {}) {
    super(`SINK_${kind.toUpperCase()}`, message, { retry: kind === "message" ? "no" : "later", ...details });
    this.kind = kind;
    this.status = status;
  }
}
