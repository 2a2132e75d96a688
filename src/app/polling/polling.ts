/**
 * The polling half of the daemon: the gate to the data service with its keys, budget and monitors,
 * and the engine on top.
 */
import { createUpstream } from "../../api/upstream.ts";
import { createUpstreamPacer, type UpstreamPacer } from "../../budget/upstream-pacer.ts";
import type { Engine } from "../../engine/engine.ts";
import type { KeyMonitor } from "../../engine/quota/key-monitor.ts";
import type { AuditReadings } from "../../engine/quota/audit-readings.ts";
import type { QuotaMonitor } from "../../engine/quota/quota-monitor.ts";
import { createRequestGate, type RequestGate } from "../../requests/request-gate.ts";
import { createServiceClock, type ServiceClock } from "../../requests/service-clock.ts";
import type { StoreMonitor } from "../../model/store-health.ts";
import type { UpstreamMonitor } from "../../engine/health/upstream-monitor.ts";
import type { Meter } from "../../model/meter.ts";
import type { Trace } from "../../model/trace.ts";
import type { Share } from "../../model/replicas.ts";
import type { Store } from "../../model/store.ts";
import { createTimetable } from "../../schedule/timetable.ts";
import { PlannedPolls } from "../../engine/planned-polls.ts";
import type { DaemonDeps } from "../daemon/daemon-deps.ts";
import type { DaemonEvents } from "../daemon/daemon-events.ts";
import type { Delivering } from "../delivering/delivering.ts";
import { createFindEdits } from "../../deliver/find-edits.ts";
import { createFallbackNotifier } from "../delivering/fallback-notifier.ts";
import { type Auditing, createAuditing } from "./auditing.ts";
import { createPaying, type Paying } from "./paying.ts";
import { createFollowLevels } from "../../operate/alerts/level-follow-ups.ts";
import { createPollEngine, type PollEngine } from "./poll-engine.ts";
import { createStartReport, type StartReport } from "../daemon/start-report.ts";

export interface Polling {
  readonly engine: Engine;
  /** Makes requests to the data service within rate and quota. */
  readonly gate: Pick<RequestGate, "request">;
  readonly quotaMonitor: QuotaMonitor;
  readonly auditReadings: AuditReadings;
  readonly keyMonitor: KeyMonitor;
  readonly keyQuotas: Paying["keyQuotas"];
  readonly upstreamMonitor: UpstreamMonitor;
  readonly storeMonitor: StoreMonitor;
  readonly report: StartReport;
  /**
   * Adopts the API settings of the active configuration. Polls are tried again if the old key was
   * refused or the settings have changed.
   */
  renewKey(): void;
  /** Ends the waits that the service asked for, because an operator may have repaired the cause. */
  tryAtOnce(): void;
  /** Starts everything except the engine, which waits for its watches. */
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
  readonly share: Share;
  readonly archiving: { readonly isArchiving: () => boolean };
}

export const createPolling = (parts: PollingParts): Polling => new PollingHalf(parts);

class PollingHalf implements Polling {
  readonly engine: Engine;
  readonly upstreamMonitor: UpstreamMonitor;
  readonly storeMonitor: StoreMonitor;
  readonly report: StartReport;
  readonly #parts: PollingParts;
  readonly #timetable = createTimetable();
  readonly #polls = new PlannedPolls();
  readonly #serviceClock: ServiceClock;
  readonly #paying: Paying;
  readonly #pacer: UpstreamPacer;
  readonly gate: RequestGate;
  readonly #auditing: Auditing;
  #settings: string;

  constructor(parts: PollingParts) {
    const { clock, random } = parts.deps;
    this.#parts = parts;
    this.#serviceClock = createServiceClock(clock);
    this.#paying = this.#newPaying();
    this.#pacer = createUpstreamPacer(random, () => this.#paying.keyMonitor.usable());
    this.gate = this.#newGate();
    this.#auditing = this.#newAuditing();
    const { engine, upstreamMonitor, storeMonitor } = this.#newEngine();
    this.engine = engine;
    this.upstreamMonitor = upstreamMonitor;
    this.storeMonitor = storeMonitor;
    this.report = this.#newReport();
    this.#settings = this.#apiSettings();
    this.#listen();
  }

  get quotaMonitor(): QuotaMonitor {
    return this.#paying.quotaMonitor;
  }

  get auditReadings(): AuditReadings {
    return this.#paying.auditReadings;
  }

  get keyMonitor(): KeyMonitor {
    return this.#paying.keyMonitor;
  }

  get keyQuotas(): Paying["keyQuotas"] {
    return this.#paying.keyQuotas;
  }

  renewKey(): void {
    this.#paying.setKeys();
    const wasStopped = this.upstreamMonitor.isStopped;
    this.#pacer.resume();
    const settings = this.#apiSettings();
    const isOther = settings !== this.#settings;
    this.#settings = settings;
    if (isOther) this.tryAtOnce();
    if (wasStopped || (isOther && this.upstreamMonitor.trouble !== undefined))
      this.engine.runAllNow();
  }

  tryAtOnce(): void {
    this.gate.tryAtOnce();
  }

  #apiSettings(): string {
    return JSON.stringify(this.#parts.delivering.config().api);
  }

  async start(): Promise<void> {
    await this.upstreamMonitor.start();
    await this.#auditing.start();
    await this.#paying.start();
  }

  async stop(): Promise<void> {
    this.#paying.stop();
    this.#auditing.stop();
    await this.engine.stop();
    this.upstreamMonitor.stop();
    this.storeMonitor.stop();
  }

  #newPaying(): Paying {
    const { delivering, store, meter, events, share, deps } = this.#parts;
    return createPaying({
      delivering,
      store,
      meter,
      timetable: this.#timetable,
      polls: this.#polls,
      events,
      share,
      deps,
    });
  }

  #newAuditing(): Auditing {
    const { delivering, store, meter, events, deps, share } = this.#parts;
    return createAuditing({
      paying: this.#paying,
      gate: this.gate,
      delivering,
      store,
      meter,
      events,
      deps,
      share,
    });
  }

  #newGate(): RequestGate {
    const { delivering, store, meter, trace, events, deps } = this.#parts;
    const { clock, log, http } = deps;
    const { baseUrl, timeoutMs } = delivering.config().api;
    return createRequestGate({
      upstream: createUpstream({
        http,
        baseUrl: deps.sandboxUrl ?? baseUrl,
        key: this.#paying.holder.key,
        timeoutMs,
      }),
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

  #newReport(): StartReport {
    const { delivering, store, deps, share } = this.#parts;
    const { clock, log } = deps;
    return createStartReport({
      store,
      clock,
      log,
      sinkText: (watch) => delivering.routing().describe(watch),
      nextPollAt: (watchId) => this.engine.nextPollAt(watchId),
      isShared: !share.isAlone,
    });
  }

  #newEngine(): PollEngine {
    const { delivering, store, meter, trace, events, deps, share } = this.#parts;
    const { clock, random, hash, log } = deps;
    const { config, delivery, opsAlerts } = delivering;
    return createPollEngine({
      ...{ store, share, meter, trace, events, clock, random, hash, log, opsAlerts },
      gate: this.gate,
      pacer: this.#pacer,
      quotaMonitor: this.quotaMonitor,
      serviceClock: this.#serviceClock,
      timetable: this.#timetable,
      polls: this.#polls,
      route: delivering.active.route,
      findEdits: createFindEdits({ store, hash, clock, causes: () => delivery().editCauses }),
      followLevels: createFollowLevels({ store, hash, clock, ...delivering }),
      notifyDirectly: createFallbackNotifier({ delivery, config, clock, random, log }),
      probe: () => this.#auditing.probe(),
      retentionMs: () => config().state.retentionMs,
      isArchiving: this.#parts.archiving.isArchiving,
    });
  }

  /** Connects parts to the events of parts that were built before them. */
  #listen(): void {
    const { events, deps } = this.#parts;
    const { report } = this;
    const { quotaAudit } = this.#auditing;
    events.on("keysChanged", () => void quotaAudit.check());
    events.on("keyAnswered", (key) => {
      this.#paying.keyRefusals.answered(key);
      this.upstreamMonitor.keyTaken(false);
    });
    events.on("keyRefusedElsewhere", (key, error) => void this.gate.keyRefused(key, error));
    events.on("keyTakenElsewhere", (key) => {
      this.keyMonitor.accepted(key);
      this.upstreamMonitor.keyTaken(true);
    });
    events.on("quotaSpent", () => quotaAudit.spent());
    events.on("targetMissing", (watchId) => report.missing(watchId));
    events.on("polled", (poll, outcome) => report.polled(poll, outcome));
    if (deps.onPolled !== undefined) events.on("polled", deps.onPolled);
  }
}
