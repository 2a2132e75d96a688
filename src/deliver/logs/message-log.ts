/**
 * Writes debug lines about messages, with the trace ids of the polls that found their events. The
 * trace ids are kept in memory only, so a restart loses them.
 */
import type { Log } from "../../model/log.ts";
import type { DeliveryResult, NewMessage } from "../../model/outbox.ts";
import type { OutboxEvent } from "../../model/sink.ts";
import type { Trace } from "../../model/trace.ts";
import type { ClaimedMessage } from "../queue/sink-queue.ts";

export interface MessageLog {
  sealed(message: NewMessage, events: readonly OutboxEvent[]): void;
  settled(claimed: ClaimedMessage, result: DeliveryResult): void;
}

/**
 * The maximum number of messages whose traces are remembered. A message that waits for a retry
 * keeps its entry, so this bounds the memory during a long outage.
 */
const MAX_REMEMBERED = 10_000;
const EVENTS_SHOWN = 20;

export function createMessageLog(log: Log, trace: Pick<Trace, "ofEvents"> | undefined): MessageLog {
  const traces = new Map<string, TraceField>();
  return {
    sealed(message, events) {
      const ids = events.map(({ event }) => event.id);
      const field = traceField(trace?.ofEvents(ids) ?? []);
      if (field.trace !== undefined && traces.size < MAX_REMEMBERED) traces.set(message.id, field);
      log.debug("message sealed", {
        ...field,
        message: message.id,
        sink: message.sink,
        events: ids.length,
        event_ids: ids.slice(0, EVENTS_SHOWN),
      });
    },
    settled({ queue, message }, result) {
      const fields = {
        ...traces.get(message.id),
        message: message.id,
        sink: queue.name,
        attempt: message.attempts + 1,
      };
      if (result.kind === "sent")
        log.debug("message sent", {
          ...fields,
          ref: result.ref,
        });
      else
        log.debug("message not sent", {
          ...fields,
          outcome: result.kind === "dead" ? "dead" : "retry",
          error: result.error,
        });
      if (result.kind !== "retry") traces.delete(message.id);
    },
  };
}

interface TraceField {
  readonly trace?: string | readonly string[];
}

/** A single run is written as its id, several as a list, because a digest can have many. */
const traceField = (runs: readonly string[]): TraceField =>
  runs.length === 0
    ? {}
    : { trace: runs.length === 1 ? (runs[0] ?? "") : runs.slice(0, EVENTS_SHOWN) };
