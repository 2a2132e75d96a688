/**
 * Notifies `ops` without the outbox, for the one case in which the outbox itself cannot be written.
 */
import type { Config } from "../../config/config.ts";
import type { Clock } from "../../model/clock.ts";
import { errorText } from "../../model/errors.ts";
import type { ChirpEvent } from "../../model/event.ts";
import type { Log } from "../../model/log.ts";
import type { Random } from "../../model/random.ts";
import { opsAlertMessage } from "../../render/messages/ops-alert-message.ts";
import type { Delivery } from "./delivery.ts";

const TIMEOUT_MS = 10_000;

export interface FallbackNotifierDeps {
  readonly delivery: () => Delivery;
  readonly config: () => Config;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Tries the sinks of `ops` in order until one accepts the message. Never rejects. */
export function createFallbackNotifier({
  delivery,
  config,
  clock,
  random,
  log,
}: FallbackNotifierDeps): (text: string) => Promise<void> {
  return async (text) => {
    const nowMs = clock.now();
    const labels = { watch: "", type: "daemon", event: "state.trouble", severity: "critical" };
    const event: ChirpEvent = {
      id: random.id(),
      type: "state.trouble",
      watchKey: "",
      watch: "",
      watchType: "daemon",
      subject: "state",
      labels,
      body: { message: text },
      occurredAtMs: nowMs,
      detectedAtMs: nowMs,
    };
    for (const name of config().ops.sinks) {
      const sink = delivery().sinks.get(name)?.sink;
      if (sink === undefined) continue;
      const messageId = random.id();
      const body = sink.render({
        events: [{ event, watches: [] }],
        sample: false,
        read: opsAlertMessage,
      });
      try {
        await sink.send(
          { id: messageId, sink: name, groupKey: event.id, sealedAtMs: nowMs, body },
          AbortSignal.timeout(TIMEOUT_MS),
        );
        return;
      } catch (error) {
        log.warn("ops could not be notified directly", { sink: name, error: errorText(error) });
      }
    }
  };
}
