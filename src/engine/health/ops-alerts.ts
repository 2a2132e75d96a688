/** The daemon's own events: created like any other, delivered to `ops` only, and to a route that asks for them by name. */
import type { OpsAlert, OpsAlerts } from "../../model/ops-alerts.ts";
import { type ChirpEvent, eventId } from "../../model/event.ts";
import type { Clock } from "../../model/clock.ts";
import type { Hash } from "../../model/hash.ts";
import type { Log } from "../../model/log.ts";
import type { Meter } from "../../model/meter.ts";
import type { Random } from "../../model/random.ts";
import type { NewDelivery, PollStore } from "../../model/poll-store.ts";
import { logEvents } from "../../polling/run/event-log.ts";

export interface OpsAlertsDeps {
  readonly store: Pick<PollStore, "commitPoll">;
  readonly clock: Clock;
  readonly random: Random;
  readonly hash: Hash;
  readonly log: Log;
  readonly meter: Meter;
  readonly route: (event: ChirpEvent, exceptSink: string | undefined, nowMs: number) => readonly NewDelivery[];
  readonly wakeDelivery: () => void;
}

export function createOpsAlerts(deps: OpsAlertsDeps): OpsAlerts {
  const { clock, log } = deps;
  return {
    async raise(alert) {
      const fields = { alert: alert.type, subject: alert.subject, text: alert.message, ...alert.facts };
      if (alert.severity === "info") log.info("ops alert", fields);
      else log.warn("ops alert", fields);
      const event = eventOf(alert, deps.hash, deps.random.id(), clock.now());
      try {
        const deliveries = deps.route(event, alert.exceptSink, clock.now());
        const commit = { atMs: clock.now(), targets: [], verdicts: [], events: [event], deliveries };
        await deps.store.commitPoll(commit);
        logEvents(log, commit, new Set([event.id]));
        deps.meter.count("chirpwatch_events_total", { watch: "", event: alert.type });
        deps.wakeDelivery();
      } catch (error) {
        log.error("ops alert could not be stored", { alert: alert.type, error });
      }
    },
  };
}

function eventOf(alert: OpsAlert, hash: Hash, episode: string, nowMs: number): ChirpEvent {
  return {
    id: eventId(hash, "", { type: alert.type, subject: alert.subject, episode }),
    type: alert.type,
    watchKey: "",
    watch: alert.watch ?? "",
    watchType: "daemon",
    subject: alert.subject,
    labels: { watch: alert.watch ?? "", type: "daemon", event: alert.type, target: alert.subject, severity: alert.severity },
    body: { message: alert.message, ...(alert.hint === undefined ? {} : { hint: alert.hint }), ...alert.facts },
    occurredAtMs: nowMs,
    detectedAtMs: nowMs,
  };
}
