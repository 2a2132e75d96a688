/**
 * What has been due behind an open breaker for longer than `retry_for` goes to the dead letters,
 * counted: the outbox must not grow for ever.
 */
import type { Clock } from "../../model/clock.ts";
import type { Log } from "../../model/log.ts";
import type { Meter } from "../../model/meter.ts";
import type { Random } from "../../model/random.ts";
import type { DeliveryResult, NewMessage, Outbox } from "../../model/outbox.ts";
import type { SinkQueue } from "../queue/sink-queue.ts";

export interface ExpireDeps {
  readonly store: Pick<Outbox, "dueWork" | "seal" | "record">;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly meter: Meter;
  /** Messages were given up, and that is stored. */
  onDead(): void;
}

const AT_ONCE = 200;

/**
 * Does nothing while the breaker is closed or has been open for less. What was held or put off
 * counts from the time it came due.
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
        id: deps.random.id(),
        sink: queue.name,
        groupKey: group.groupKey,
        sealedAtMs: nowMs,
        body: null,
        deliveryIds: group.members.map((member) => member.deliveryId),
        // It was never sent, so it does not count.
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
    await deps.store.record(ids.map((messageId): DeliveryResult => ({ messageId, ...verdict })));
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
