/**
 * Delivery and the daemon's own alerts for one active configuration: everything that a reload
 * replaces, in one place.
 */
import type { Config } from "../../config/config.ts";
import { createOpsAlerts, createPublisher } from "../../engine/health/ops-alerts.ts";
import type { EngineWatch } from "../../engine/planned-watches.ts";
import type { OpsAlerts } from "../../model/ops-alerts.ts";
import { isoTime } from "../../model/clock.ts";
import { formatHours } from "../../model/duration.ts";
import type { Share } from "../../model/replicas.ts";
import type { Meter } from "../../model/meter.ts";
import type { Store } from "../../model/store.ts";
import type { Trace } from "../../model/trace.ts";
import { startTemplateWorker } from "../../runtime/threads/template-worker.ts";
import type { SinkDeps } from "../../sinks/kind/sink-type.ts";
import { type ActiveWatches, createActiveWatches } from "../../operate/alerts/active-watches.ts";
import { sinkSecrets } from "../../operate/alerts/create-sink.ts";
import { createDestinations } from "../fleet/destinations.ts";
import { createDeadReports, type DeadReports } from "../../operate/alerts/dead-reports.ts";
import type { DaemonDeps } from "../daemon/daemon-deps.ts";
import type { DaemonEvents } from "../daemon/daemon-events.ts";
import { verifySinks, createDelivery, type Delivery, type DeliveryDeps } from "./delivery.ts";
import { createRouting, type Routing } from "../../operate/alerts/routing.ts";
import type { ActiveSilences } from "../../operate/alerts/silences.ts";
import { templateAlert } from "./templates.ts";

export interface Delivering {
  /** Returns the active configuration. */
  readonly config: () => Config;
  /** Returns the routing of the active configuration, which says where alerts go. */
  readonly routing: () => Routing;
  readonly delivery: () => Delivery;
  readonly opsAlerts: OpsAlerts;
  readonly active: ActiveWatches;
  /** Builds the delivery of another configuration while the active one continues. */
  prepare(next: Config): Promise<Activate>;
  /** Checks credentials that can be checked cheaply. Never rejects. */
  check(): Promise<void>;
  stop(graceMs: number): Promise<void>;
}

/**
 * Makes a prepared configuration the active one. `watches` are the watches registered for it, if
 * they have changed.
 */
export type Activate = (watches?: readonly EngineWatch[]) => Promise<void>;

/**
 * The grace period for messages that are being sent when the configuration is reloaded. It is
 * shorter than the grace period at a stop.
 */
const SWAP_GRACE_MS = 5_000;

export interface DeliveringParts {
  readonly store: Store;
  readonly silences: ActiveSilences;
  readonly meter: Meter;
  readonly trace: Trace;
  readonly events: DaemonEvents;
  readonly deps: DaemonDeps;
  readonly share: Share;
}

export async function createDelivering(
  initial: Config,
  parts: DeliveringParts,
): Promise<Delivering> {
  const { store, silences, meter, trace, events, deps, share } = parts;
  const startTemplates = deps.adapters?.startTemplates ?? startTemplateWorker;
  const { clock, random, hash, log, addSecret } = deps;
  let [config, isStopped] = [initial, false];
  const routingOf = (of: Config) => createRouting(of, silences.all);
  let routing = routingOf(initial);
  const active = createActiveWatches(() => routing);
  const publish = createPublisher({
    ...{ store, clock, hash, log, meter },
    wakeDelivery: () => events.emit("committed"),
    route: (event, exceptSink, nowMs) => routing.routeOpsAlert(event, exceptSink, nowMs),
  });
  const opsAlerts = createOpsAlerts({ store, share, clock, random, log, publish });
  const keepSecrets = (of: Config) => secretsOf(of).forEach(addSecret);
  keepSecrets(config);
  // For a sink that is no longer configured, the leader reports which deliveries still wait.
  const isOwn = (sink: string) => delivery.holds(sink) ?? share.isLeading();
  const deadReports = createDeadReports({ ...deps, store, opsAlerts, config: () => config, isOwn });
  const sinkDeps = (of: Config) => sinkDepsOf(of, deps);
  const alerts = sinkAlerts(opsAlerts, deadReports, deps);
  const shared = {
    ...{ store, clock },
    ...{ random, log, meter, trace, active },
    silenceOf: silences.silenceOf,
    silences: silences.all,
    startTemplates,
    ...alerts,
    onDead() {
      alerts.onDead();
      announceDead(parts, delivery.escalates);
    },
    // The replica that delivered before may not have reported its dead letters yet. Nothing is
    // announced here: each announcement makes the other replicas take their share again.
    onShareTaken: alerts.onDead,
  };
  const kept: Pick<DeliveryDeps, "paces" | "sizes" | "waits"> = {
    paces: new Map(),
    sizes: new Map(),
    waits: new Map(),
  };
  const destinations = createDestinations(share, hash);
  const deliveryOf = (of: Config) =>
    createDelivery(of, { ...shared, ...destinations, ...kept, sinkDeps: sinkDeps(of) });
  let delivery = await deliveryOf(config);
  events.on("committed", () => delivery.pump.wake());
  // An earlier process may not have reported everything.
  deadReports.wake();
  return {
    config: () => config,
    routing: () => routing,
    delivery: () => delivery,
    opsAlerts,
    active,
    async prepare(next) {
      keepSecrets(next);
      const fresh = await deliveryOf(next);
      return async (watches) => {
        const old = delivery;
        if (watches !== undefined) active.set(watches);
        config = next;
        routing = routingOf(next);
        delivery = fresh;
        // Stop the old pump before the new one starts, so that no message is sent by both. If the
        // daemon has stopped meanwhile, start none.
        await old.pump.stop(SWAP_GRACE_MS);
        if (!isStopped) await fresh.pump.start();
        events.emit("activated");
      };
    },
    check: () => verifySinks(delivery, sinkDeps(config)),
    async stop(graceMs) {
      isStopped = true;
      await delivery.pump.stop(graceMs);
      await deadReports.stop();
    },
  };
}

/** Lets the replica that leads escalate alerts that were given up. */
function announceDead(
  { events, share, deps }: Pick<DeliveringParts, "events" | "share" | "deps">,
  escalates: boolean,
): void {
  events.emit("escalationsChanged");
  if (share.isAlone || !escalates) return;
  void share
    .announce([])
    .catch((error: unknown) => deps.log.warn("dead letters were not announced", { error }));
}

const secretsOf = ({ sinks, chat }: Config): readonly string[] => [
  ...sinks.flatMap(sinkSecrets),
  ...[chat.slack?.appToken, chat.discord?.token].flatMap((token) => token ?? []),
];

const sinkDepsOf = (
  { linksHost }: Config,
  { http, clock, log, write, outputs, writesToLog = false }: DaemonDeps,
): SinkDeps => ({
  ...{ http, clock, log, write, writesToLog, outputs, linksHost },
});

/**
 * The minimum time between two alerts about receivers that a sink does not reach. An alert about
 * other receivers is not delayed.
 */
const DAY_MS = 86_400_000;

type SinkAlerts = Pick<
  DeliveryDeps,
  "onSinkFailing" | "onSinkRecovered" | "onDead" | "onPart" | "onUnpublished" | "onTemplateFailing"
>;

const sinkAlerts = (
  opsAlerts: OpsAlerts,
  deadReports: DeadReports,
  { clock, hash }: Pick<DaemonDeps, "clock" | "hash">,
): SinkAlerts => ({
  onTemplateFailing: (...failure) => void opsAlerts.raise(templateAlert(hash, ...failure)),
  onDead: () => deadReports.wake(),
  onPart(sink, missed) {
    const names = missed.map(({ receiver }) => receiver).sort();
    return opsAlerts.raise({
      type: "delivery.partial",
      subject: sink,
      severity: "warning",
      message: `Alerts of ${sink} reach some of its receivers and not others: ${missed.map(({ receiver, error }) => `${receiver} (${error})`).join(", ")}`,
      hint: "A receiver that refuses alerts does not get them again: correct or remove it.",
      facts: { receivers: names },
      once: {
        key: `delivery.partial:${sink}`,
        about: names.join(),
        endsAtMs: clock.now() + DAY_MS,
      },
    });
  },
  onSinkFailing: ({ sink, reason, hint, sinceMs, retryForMs }) =>
    opsAlerts.raise({
      type: "sink.failing",
      subject: sink,
      severity: "critical",
      message: `${sink} takes no messages: ${reason}`,
      hint: [
        hint,
        `Alerts for it are kept for ${formatHours(retryForMs)} (retry_for) and are sent when it works again.`,
      ]
        .filter((sentence) => sentence !== "")
        .join(" "),
      facts: { since: isoTime(sinceMs) },
      exceptSink: sink,
      episode: String(sinceMs),
    }),
  async onSinkRecovered(sink, reportedAtMs) {
    const message = `${sink} takes messages again.`;
    await opsAlerts.raise({
      type: "sink.recovered",
      subject: sink,
      severity: "info",
      message,
      episode: String(reportedAtMs),
    });
    deadReports.wake();
  },
  onUnpublished: ({ sink, count, reason }) =>
    opsAlerts.raise({
      type: "sink.not_published",
      subject: sink,
      severity: "warning",
      message: `${count} ${count === 1 ? "message" : "messages"} of ${sink} went to the channel, but not to its followers: ${reason}`,
      hint: "Discord publishes about ten messages per hour and channel. Send fewer messages there, or set crosspost: false.",
      facts: { count },
    }),
});
