/** Deliveries on their way, as a port: due, sealed, recorded; and the health of their sinks. */
import type { ChirpEvent } from "./event.ts";
import type { SealedMessage } from "./sink.ts";

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
