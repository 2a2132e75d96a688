/** The polling half: the gate to the data service with its key, its budget and its watchers, and the engine on top. */
import { createUpstream } from "../../api/upstream.ts";
import { createUpstreamPacer, type UpstreamPacer } from "../../budget/upstream-pacer.ts";
import { createEngine, type Engine } from "../../engine/engine.ts";
import type { EngineDeps } from "../../engine/engine-parts.ts";
import { createPollRunner } from "../../polling/run/poll-runner.ts";
import { createProfiles } from "../../requests/profiles.ts";
import type { KeyWatch } from "../../engine/quota/key-watch.ts";
import type { AuditReadings } from "../../engine/quota/audit-readings.ts";
import type { QuotaWatch } from "../../engine/quota/quota-watch.ts";
import { createRequestGate, type RequestGate } from "../../requests/request-gate.ts";
import { createServiceClock, type ServiceClock } from "../../requests/service-clock.ts";
import { createStoreWatch } from "../../engine/health/store-watch.ts";
import type { StoreWatch } from "../../model/store-health.ts";
import { createUpstreamWatch, type UpstreamWatch } from "../../engine/health/upstream-watch.ts";
import type { Meter } from "../../model/meter.ts";
import type { Trace } from "../../model/trace.ts";
import type { Store } from "../../model/store.ts";
import { createTimetable } from "../../schedule/timetable.ts";
import { PlannedPolls } from "../../engine/planned-polls.ts";
import type { DaemonDeps } from "../daemon/daemon-deps.ts";
import type { DaemonEvents } from "../daemon/daemon-events.ts";
import type { Delivering } from "../delivering/delivering.ts";
import { createFallbackNotifier } from "../delivering/fallback-notifier.ts";
import { type Auditing, createAuditing } from "./auditing.ts";
import { createPaying, type Paying } from "./paying.ts";
import { createStartReport, type StartReport } from "../daemon/start-report.ts";

export interface Polling {
  readonly engine: Engine;
  readonly quotaWatch: QuotaWatch;
  readonly auditReadings: AuditReadings;
  readonly keyWatch: KeyWatch;
  readonly keyQuotas: Paying["keyQuotas"];
  readonly upstreamWatch: UpstreamWatch;
  readonly storeWatch: StoreWatch;
  readonly report: StartReport;
  /** Takes over the key of the active configuration, and asks again if the old one was refused. */
  renewKey(): void;
  /** Starts everything but the engine, which waits for its watches. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface PollingParts {
  readonly delivering: Delivering;
  readonly store: Store;
  readonly meter: Meter;
  readonly trace: Trace;
  readonly events: DaemonEvents;
  readonly deps: DaemonDeps;
}

export const createPolling = (parts: PollingParts): Polling => new PollingHalf(parts);

class PollingHalf implements Polling {
  readonly engine: Engine;
  readonly upstreamWatch: UpstreamWatch;
  readonly storeWatch: StoreWatch;
  readonly report: StartReport;
  readonly #parts: PollingParts;
  readonly #timetable = createTimetable();
  readonly #polls = new PlannedPolls();
  readonly #serviceClock: ServiceClock;
  readonly #paying: Paying;
  readonly #pacer: UpstreamPacer;
  readonly #gate: RequestGate;
  readonly #auditing: Auditing;

  constructor(parts: PollingParts) {
    const { clock, random } = parts.deps;
    this.#parts = parts;
    this.#serviceClock = createServiceClock(clock);
    this.#paying = this.#newPaying();
    this.#pacer = createUpstreamPacer(random, () => this.#paying.keyWatch.usable());
    this.storeWatch = this.#newStoreWatch();
    this.#gate = this.#newGate();
    this.#auditing = this.#newAuditing();
    this.upstreamWatch = this.#newUpstreamWatch();
    this.engine = this.#newEngine();
    this.report = this.#newReport();
    this.#listen();
  }

  get quotaWatch(): QuotaWatch {
    return this.#paying.quotaWatch;
  }

  get auditReadings(): AuditReadings {
    return this.#paying.auditReadings;
  }

  get keyWatch(): KeyWatch {
    return this.#paying.keyWatch;
  }

  get keyQuotas(): Paying["keyQuotas"] {
    return this.#paying.keyQuotas;
  }

  renewKey(): void {
    this.#paying.setKeys();
    const wasStopped = this.upstreamWatch.isStopped;
    this.#pacer.resume();
    if (wasStopped) this.engine.runAllNow();
  }

  async start(): Promise<void> {
    await this.upstreamWatch.start();
    await this.#auditing.start();
    await this.#paying.start();
  }

  async stop(): Promise<void> {
    this.#paying.stop();
    this.#auditing.stop();
    await this.engine.stop();
    this.upstreamWatch.stop();
    this.storeWatch.stop();
  }

  #newPaying(): Paying {
    const { delivering, store, meter, events, deps } = this.#parts;
    return createPaying({ delivering, store, meter, timetable: this.#timetable, polls: this.#polls, events, deps });
  }

  #newAuditing(): Auditing {
    const { delivering, store, meter, deps } = this.#parts;
    return createAuditing({ paying: this.#paying, gate: this.#gate, delivering, store, meter, deps });
  }

  #newStoreWatch(): StoreWatch {
    const { delivering, store, events, deps } = this.#parts;
    const { config, delivery } = delivering;
    const { clock, random, log } = deps;
    const notifyDirectly = createFallbackNotifier({ delivery, config, clock, random, log });
    return createStoreWatch({ store, clock, log, notifyDirectly, onRecovered: () => events.emit("storeRecovered") });
  }

  #newGate(): RequestGate {
    const { delivering, store, meter, trace, events, deps } = this.#parts;
    const { clock, log, http } = deps;
    const { baseUrl, timeoutMs } = delivering.config().api;
    return createRequestGate({
      upstream: createUpstream({ http, baseUrl: deps.sandboxUrl ?? baseUrl, key: this.#paying.holder.key, timeoutMs }),
      ledger: store,
      clock,
      serviceClock: this.#serviceClock,
      pacer: this.#pacer,
      meter,
      log,
      trace,
      ...this.#paying.gateDeps,
      onOutcome: (error) => events.emit("attemptEnded", error),
    });
  }

  #newUpstreamWatch(): UpstreamWatch {
    const { delivering, meter, events, deps } = this.#parts;
    const { clock, log } = deps;
    return createUpstreamWatch({
      pacer: this.#pacer,
      opsAlerts: delivering.opsAlerts,
      clock,
      log,
      meter,
      probe: () => this.#auditing.probe(),
      onBack: () => events.emit("serviceRecovered"),
    });
  }

  #newReport(): StartReport {
    const { delivering, store, deps } = this.#parts;
    const { clock, log } = deps;
    return createStartReport({
      store,
      clock,
      log,
      sinkText: (watch) => delivering.routing().describe(watch),
      nextPollAt: (watchId) => this.engine.nextPollAt(watchId),
    });
  }

  #newEngine(): Engine {
    const { delivering, store, meter, trace, events, deps } = this.#parts;
    const { clock, random, hash, log } = deps;
    const { config, opsAlerts } = delivering;
    const [gate, serviceClock] = [this.#gate, this.#serviceClock];
    const profiles = createProfiles(gate, clock, log);
    const alerting: Pick<EngineDeps, "route" | "wakeDelivery"> = {
      route: delivering.active.route,
      wakeDelivery: () => events.emit("committed"),
    };
    const shared = { store, gate, profiles, clock, serviceClock, hash, meter, log, trace, ...alerting };
    const runner = createPollRunner({ ...shared, random, retentionMs: () => config().state.retentionMs });
    return createEngine({
      ...shared,
      pacer: this.#pacer,
      runner,
      opsAlerts,
      storeWatch: this.storeWatch,
      quotaWatch: this.quotaWatch,
      timetable: this.#timetable,
      polls: this.#polls,
      notes: store,
      isUpstreamDown: () => this.upstreamWatch.isDown,
      onMissing: (watchId) => events.emit("targetMissing", watchId),
      onPolled: (poll, outcome, error) => events.emit("polled", poll, outcome, error),
    });
  }

  /** What parts announce to others that are built after them. */
  #listen(): void {
    const { events, deps } = this.#parts;
    const { upstreamWatch, engine, report } = this;
    const { quotaAudit } = this.#auditing;
    events.on("attemptEnded", (error) => upstreamWatch.takeOutcome(error));
    events.on("paceChanged", () => engine.reschedule());
    events.on("keysChanged", () => void quotaAudit.check());
    events.on("quotaSpent", () => quotaAudit.spent());
    events.on("storeRecovered", () => engine.runAllNow());
    events.on("serviceRecovered", () => engine.runAllNow());
    events.on("targetMissing", (watchId) => report.missing(watchId));
    events.on("polled", (poll, outcome) => report.polled(poll, outcome));
    if (deps.onPolled !== undefined) events.on("polled", deps.onPolled);
  }
}
