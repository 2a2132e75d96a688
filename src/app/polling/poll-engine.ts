/**
 * Connects the engine with the monitors of the data service and the state, through the daemon's
 * events.
 */
import { Engine } from "../../engine/engine.ts";
import type { EngineDeps } from "../../engine/engine-parts.ts";
import { createStoreMonitor } from "../../engine/health/store-monitor.ts";
import { UpstreamMonitor } from "../../engine/health/upstream-monitor.ts";
import type { Store } from "../../model/store.ts";
import type { StoreMonitor } from "../../model/store-health.ts";
import { ArchivedNumbers } from "../../polling/run/archived-numbers.ts";
import { createProfiles } from "../../requests/profiles.ts";
import type { DaemonEvents } from "../daemon/daemon-events.ts";

type FromEngine =
  | (
      | "share"
      | "gate"
      | "pacer"
      | "opsAlerts"
      | "quotaMonitor"
      | "clock"
      | "serviceClock"
      | "timetable"
      | "polls"
    )
  | (
      | "random"
      | "retentionMs"
      | "hash"
      | "meter"
      | "log"
      | "trace"
      | "route"
      | "findEdits"
      | "followLevels"
      | "isArchiving"
    );

export interface PollEngineParts extends Pick<EngineDeps, FromEngine> {
  readonly store: Store;
  readonly events: DaemonEvents;
  /** Sends an ops alert without the outbox, for when the state cannot be written. */
  readonly notifyDirectly: (text: string) => Promise<void>;
  /** Returns whether the service would answer again after it refused the keys. */
  readonly probe: () => Promise<boolean>;
}

export interface PollEngine {
  readonly engine: Engine;
  readonly upstreamMonitor: UpstreamMonitor;
  readonly storeMonitor: StoreMonitor;
}

export function createPollEngine(parts: PollEngineParts): PollEngine {
  const { events, store, share, gate, pacer, opsAlerts, quotaMonitor, clock, log, meter } = parts;
  const {
    notifyDirectly,
    probe,
    random,
    retentionMs,
    serviceClock,
    timetable,
    polls,
    hash,
    trace,
    route,
    findEdits,
    followLevels,
    isArchiving,
  } = parts;
  const storeMonitor = createStoreMonitor({
    store,
    share,
    clock,
    log,
    notifyDirectly,
    onRecovered: () => events.emit("storeRecovered"),
  });
  const onBack = () => events.emit("serviceRecovered");
  const upstreamMonitor = new UpstreamMonitor({
    pacer,
    opsAlerts,
    clock,
    log,
    meter,
    probe,
    onBack,
  });
  const engine = new Engine({
    ...{
      store,
      share,
      gate,
      pacer,
      opsAlerts,
      storeMonitor,
      quotaMonitor,
      timetable,
      polls,
      notes: store,
      random,
      retentionMs,
    },
    ...{
      clock,
      serviceClock,
      hash,
      meter,
      log,
      trace,
      route,
      findEdits,
      followLevels,
      isArchiving,
      archived: new ArchivedNumbers(),
    },
    profiles: createProfiles(gate, clock, log),
    wakeDelivery: () => events.emit("committed"),
    isUpstreamDown: () => upstreamMonitor.isDown,
    onMissing: (watchId) => events.emit("targetMissing", watchId),
    onPolled: (poll, outcome, error) => events.emit("polled", poll, outcome, error),
  });
  events.on("attemptEnded", (error) => upstreamMonitor.recordOutcome(error));
  events.on("paceChanged", () => engine.reschedule());
  events.on("storeRecovered", () => engine.runAllNow());
  events.on("serviceRecovered", () => engine.runAllNow());
  return { engine, upstreamMonitor, storeMonitor };
}
