/**
 * Counts messages and measures how old their events were when they were delivered. The times of
 * events are kept in memory only, so a restart loses them.
 */
import type { Meter } from "../../model/meter.ts";
import type { OutboxEvent } from "../../model/sink.ts";
import type { DeliveryResult } from "../../model/outbox.ts";
import type { ClaimedMessage } from "../queue/sink-queue.ts";

interface EventTimes {
  readonly occurredAtMs: number;
  readonly detectedAtMs: number;
}

export interface DeliveryDelays {
  remember(messageId: string, events: readonly OutboxEvent[]): void;
  settled(claimed: ClaimedMessage, result: DeliveryResult): void;
}

/**
 * The maximum number of messages whose times are remembered. A message that waits for a retry keeps
 * its entry, so this bounds the memory during a long outage.
 */
const MAX_REMEMBERED = 20_000;

const OUTCOME = { sent: "sent", retry: "retried", dead: "dead" } as const;

export function createDelays(meter: Meter): DeliveryDelays {
  const times = new Map<string, readonly EventTimes[]>();
  return {
    remember(messageId, events) {
      if (times.size >= MAX_REMEMBERED) return;
      times.set(
        messageId,
        events.map(({ event: { occurredAtMs, detectedAtMs } }) => ({ occurredAtMs, detectedAtMs })),
      );
    },
    settled({ queue, message }, result) {
      const sink = queue.name;
      meter.count("chirpwatch_deliveries_total", { sink, outcome: OUTCOME[result.kind] });
      if (result.kind === "retry") return;
      if (result.kind === "dead") meter.count("chirpwatch_dead_letters_total", { sink });
      for (const time of result.kind === "sent" ? (times.get(message.id) ?? []) : []) {
        meter.observe(
          "chirpwatch_delivery_delay_seconds",
          (result.atMs - time.occurredAtMs) / 1_000,
          { sink },
        );
        meter.observe("chirpwatch_added_delay_seconds", (result.atMs - time.detectedAtMs) / 1_000, {
          sink,
        });
      }
      times.delete(message.id);
    },
  };
}
