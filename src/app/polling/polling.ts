/** The polling half: the gate to the data service with its key, its budget and its watchers, and the engine on top. */
import { createUpstream } from "../../api/upstream.ts";
import { createUpstreamPacer } from "../../budget/upstream-pacer.ts";
import { createEngine, type Engine } from "../../engine/engine.ts";
import type { EngineDeps } from "../../engine/engine-parts.ts";
import { createPollRunner } from "../../polling/run/poll-runner.ts";
import { createProfiles } from "../../requests/profiles.ts";
import type { KeyWatch } from "../../engine/quota/key-watch.ts";
import type { QuotaAudit } from "../../engine/quota/quota-audit.ts";
import type { QuotaWatch } from "../../engine/quota/quota-watch.ts";
import { createRequestGate, type RequestGate } from "../../requests/request-gate.ts";
import { createServiceClock } from "../../requests/service-clock.ts";
import { createStoreWatch } from "../../engine/health/store-watch.ts";
import type { StoreWatch } from "../../model/store-health.ts";
import { createUpstreamWatch, type UpstreamWatch } from "../../engine/health/upstream-watch.ts";
import type { Meter } from "../../model/meter.ts";
import type { Trace } from "../../model/trace.ts";
import type { Store } from "../../model/store.ts";
import { createTimetable } from "../../schedule/timetable.ts";
import type { DaemonDeps } from "../daemon/daemon-deps.ts";
import type { Delivering } from "../delivering/delivering.ts";
import { createDirectTeller } from "../delivering/direct-teller.ts";
import { createPaying, type Paying } from "./paying.ts";
import { createStartReport, type StartReport } from "../daemon/start-report.ts";

export interface Polling {
  readonly engine: Engine;
  readonly quotaWatch: QuotaWatch;
  readonly quotaAudit: QuotaAudit;
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
  readonly deps: DaemonDeps;
  /** The state could not be written, and can again. */
  readonly onStoreRecovered: () => void;
}

export function createPolling({ delivering, store, meter, trace, deps, onStoreRecovered }: PollingParts): Polling {
  const { clock, random, hash, log, http } = deps;
  const { config, delivery, notices } = delivering;
  const timetable = createTimetable();
  const serviceClock = createServiceClock(clock);
  const pacer = createUpstreamPacer(random, () => paying.keyWatch.usable());
  const paying = createPaying({ delivering, store, meter, timetable, deps, gate: () => gate, engine: () => engine });
  const { baseUrl, timeoutMs } = config().api;
  const upstream = createUpstream({ http, baseUrl: deps.sandboxUrl ?? baseUrl, key: paying.key, timeoutMs });
  const tellDirectly = createDirectTeller({ delivery, config, clock, random, log });
  const onRecovered = () => {
    engine.hastenAll();
    onStoreRecovered();
  };
  const storeWatch = createStoreWatch({ store, clock, log, tellDirectly, onRecovered });
  const gate: RequestGate = createRequestGate({
    upstream,
    ledger: store,
    clock,
    serviceClock,
    pacer,
    meter,
    log,
    trace,
    ...paying.gateDeps,
    onOutcome: (error) => upstreamWatch.takeOutcome(error),
  });
  const upstreamWatch = createUpstreamWatch({
    pacer,
    notices,
    notes: store,
    clock,
    log,
    meter,
    probe: paying.probe,
    onBack: () => engine.hastenAll(),
  });
  const profiles = createProfiles(gate, clock, log);
  const telling: Pick<EngineDeps, "route" | "wakeDelivery"> = {
    route: delivering.active.route,
    wakeDelivery: () => delivery().pump.wake(),
  };
  const runner = createPollRunner({
    store,
    gate,
    profiles,
    clock,
    serviceClock,
    random,
    hash,
    meter,
    log,
    trace,
    retentionMs: () => config().state.retentionMs,
    ...telling,
  });
  const report = createStartReport({
    store,
    clock,
    log,
    sinkText: (watch) => delivery().describe(watch),
    nextPollAt: (watchId) => engine.nextPollAt(watchId),
  });
  const engine: Engine = createEngine({
    store,
    gate,
    pacer,
    runner,
    profiles,
    notices,
    storeWatch,
    quotaWatch: paying.quotaWatch,
    clock,
    serviceClock,
    timetable,
    hash,
    meter,
    log,
    trace,
    notes: store,
    ...telling,
    isUpstreamDark: () => upstreamWatch.isDark,
    onMissing: report.missing,
    onPolled(poll, outcome, error) {
      report.polled(poll, outcome);
      deps.onPolled?.(poll, outcome, error);
    },
  });
  return {
    engine,
    quotaWatch: paying.quotaWatch,
    quotaAudit: paying.quotaAudit,
    keyWatch: paying.keyWatch,
    keyQuotas: paying.keyQuotas,
    upstreamWatch,
    storeWatch,
    report,
    renewKey() {
      paying.setKeys();
      const wasStopped = upstreamWatch.isStopped;
      pacer.resume();
      if (wasStopped) engine.hastenAll();
    },
    async start() {
      await upstreamWatch.start();
      await paying.start();
    },
    async stop() {
      paying.stop();
      await engine.stop();
      upstreamWatch.stop();
      storeWatch.stop();
    },
  };
}
