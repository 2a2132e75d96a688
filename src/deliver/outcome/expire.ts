/**
 * Moves deliveries and messages that have been due behind an open breaker for longer than
 * `retry_for` to the dead letters, and counts them, so that the outbox does not grow without bound.
 */
import type { Clock } from "../../model/clock.ts";
import type { Log } from "../../model/log.ts";
import type { Meter } from "../../model/meter.ts";
import { newMessageId } from "../../model/message-id.ts";
import type { Random } from "../../model/random.ts";
import type { DeliveryResult, NewMessage, Outbox } from "../../model/outbox.ts";
import type { SinkQueue } from "../queue/sink-queue.ts";

export interface ExpireDeps {
  readonly store: Pick<Outbox, "dueWork" | "seal" | "record">;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly meter: Meter;
  /** The sinks whose alerts may be escalated; absent if there is none. */
  readonly escalating?: ReadonlySet<string> | undefined;
  /** Called after the store has recorded that messages were given up. */
  onDead(): void;
}

const AT_ONCE = 200;

/**
 * Gives up deliveries and messages that have been due for longer than `retry_for`. Does nothing
 * unless the breaker has been open for that long. For a delivery that was held or postponed, the
 * time counts from the moment it became due.
 */
export async function giveUpExpired(deps: ExpireDeps, queue: SinkQueue): Promise<void> {
  const nowMs = deps.clock.now();
  const cutoffMs = nowMs - queue.retryForMs;
  if ((queue.health.openedAtMs ?? nowMs) > cutoffMs) return;
  let givenUp = 0;
  for (;;) {
    const due = await deps.store.dueWork({
      nowMs: cutoffMs,
      sinks: [queue.name],
      busy: queue.busy,
      limit: AT_ONCE,
    });
    const sealed = due.groups.map(
      (group): NewMessage => ({
        id: newMessageId(deps.random, nowMs),
        sink: queue.name,
        groupKey: group.groupKey,
        sealedAtMs: nowMs,
        body: null,
        deliveryIds: group.members.map((member) => member.deliveryId),
        // The message was never sent, so it does not count against the throttle.
        throttleKey: null,
      }),
    );
    const ids = [...due.messages, ...sealed].map((message) => message.id);
    if (ids.length === 0) break;
    if (sealed.length > 0) await deps.store.seal(sealed);
    const verdict = {
      kind: "dead",
      atMs: nowMs,
      error: queue.health.reason,
      cause: "expired",
      countAttempt: false,
    } as const;
    const results = ids.map((messageId): DeliveryResult => ({ messageId, ...verdict }));
    await deps.store.record(results, deps.escalating);
    givenUp += ids.length;
  }
  if (givenUp === 0) return;
  deps.meter.count("chirpwatch_deliveries_total", { sink: queue.name, outcome: "dead" }, givenUp);
  deps.meter.count("chirpwatch_dead_letters_total", { sink: queue.name }, givenUp);
  deps.onDead();
  deps.log.error("messages were given up: their sink took none for longer than retry_for", {
    sink: queue.name,
    messages: givenUp,
  });
}
