/** The polling half: the gate to the data service with its key, its budget and its watchers, and the engine on top. */
import { createUpstream } from "../api/upstream.ts";
import { createUpstreamPacer } from "../budget/upstream-pacer.ts";
import { createEngine, type Engine } from "../engine/engine.ts";
import { createPollRunner } from "../engine/poll-runner.ts";
import { createProfiles } from "../engine/profiles.ts";
import { createQuotaWatch, type QuotaWatch } from "../engine/quota-watch.ts";
import { createRequestGate, type GateDeps, type RequestGate } from "../engine/request-gate.ts";
import { createServiceClock } from "../engine/service-clock.ts";
import { createStoreWatch, type StoreWatch } from "../engine/store-watch.ts";
import { createUpstreamWatch, type UpstreamWatch } from "../engine/upstream-watch.ts";
import { errorText } from "../model/errors.ts";
import type { Meter } from "../model/meter.ts";
import type { Store } from "../model/store.ts";
import type { UpstreamAnswer } from "../model/upstream.ts";
import { createTimetable } from "../schedule/timetable.ts";
import type { DaemonDeps } from "./daemon-deps.ts";
import type { Delivering } from "./delivering.ts";
import { createDirectTeller } from "./direct-teller.ts";
import { createKeyHolder } from "./key-holder.ts";
import { createStartReport, type StartReport } from "./start-report.ts";

export interface Polling {
  readonly engine: Engine;
  readonly quotaWatch: QuotaWatch;
  readonly upstreamWatch: UpstreamWatch;
  readonly storeWatch: StoreWatch;
  readonly report: StartReport;
  /** Takes over the key of the configuration in force, and asks again if the old one was refused. */
  renewKey(): void;
  /** Starts everything but the engine, which waits for its watches. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function createPolling(delivering: Delivering, store: Store, meter: Meter, deps: DaemonDeps): Polling {
  const { clock, random, hash, log, http, files } = deps;
  const { config, delivery, notices } = delivering;
  const timetable = createTimetable();
  const serviceClock = createServiceClock(clock);
  const pacer = createUpstreamPacer(random);
  const keys = createKeyHolder(config().api, files, deps.addSecret);
  const { baseUrl, timeoutMs } = config().api;
  const upstream = createUpstream({ http, baseUrl: deps.sandboxUrl ?? baseUrl, key: keys.key, timeoutMs });
  const tellDirectly = createDirectTeller({ delivery, config, clock, random, log });
  const storeWatch = createStoreWatch({ store, clock, log, tellDirectly, onRecovered: () => engine.hastenAll() });
  const polls = () => engine.polls;
  const quotaWatch = createQuotaWatch({
    ledger: store,
    notes: store,
    clock,
    timetable,
    meter,
    log,
    notices,
    polls,
    settings: () => quotaSettings(delivering),
  });
  const gate = createRequestGate({
    upstream,
    ledger: store,
    clock,
    serviceClock,
    pacer,
    meter,
    log,
    limits: () => limitsOf(delivering, quotaWatch),
    renewKey: keys.renew,
    onOutcome: (error) => upstreamWatch.takeOutcome(error),
  });
  const probe = () =>
    askUsage(gate).then(
      (answer) => answer.record?.["remaining_requests"] !== 0,
      () => false,
    );
  const upstreamWatch = createUpstreamWatch({ pacer, notices, notes: store, clock, log, meter, probe, onBack: () => engine.hastenAll() });
  const profiles = createProfiles(gate, clock, log);
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
    retentionMs: () => config().state.retentionMs,
    wakeDelivery: () => delivery().pump.wake(),
    route: ({ event, ownSinks }, nowMs) => delivery().routeOf(event, ownSinks, nowMs),
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
    quotaWatch,
    clock,
    timetable,
    hash,
    meter,
    log,
    notes: store,
    isUpstreamInTrouble: () => upstreamWatch.trouble !== undefined,
    onMissing: report.missing,
    onPolled(poll, outcome, error) {
      report.polled(poll, outcome);
      deps.onPolled?.(poll, outcome, error);
    },
  });
  return {
    engine,
    quotaWatch,
    upstreamWatch,
    storeWatch,
    report,
    renewKey() {
      keys.set(config().api);
      const wasStopped = upstreamWatch.isStopped;
      pacer.resume();
      if (wasStopped) engine.hastenAll();
    },
    async start() {
      await upstreamWatch.start();
      quotaWatch.start();
      void learnQuota(gate, quotaWatch, engine, deps);
    },
    async stop() {
      await engine.stop();
      quotaWatch.stop();
      upstreamWatch.stop();
      storeWatch.stop();
    },
  };
}

const quotaSettings = ({ config }: Delivering) => ({ ...config().api.quota, monthly: config().api.quota.monthly });

function limitsOf({ config }: Delivering, quotaWatch: QuotaWatch): ReturnType<GateDeps["limits"]> {
  const { rate, timeoutMs, quota } = config().api;
  return { rate, timeoutMs, quota: { ...quota, monthly: quotaWatch.limit } };
}

const askUsage = (gate: RequestGate): Promise<UpstreamAnswer> =>
  gate.request({ endpoint: "key-usage-info", params: {}, source: "usage", watch: "", priority: "high", purpose: "command", billed: false });

/** Free, and a limit to go by; an odd answer or none delays nothing. */
async function learnQuota(gate: RequestGate, quotaWatch: QuotaWatch, engine: Engine, { log }: DaemonDeps): Promise<void> {
  try {
    await quotaWatch.learnRemaining((await askUsage(gate)).record?.["remaining_requests"]);
  } catch (error) {
    log.warn("key usage is unknown", { error: errorText(error) });
  }
  await quotaWatch.refresh(engine.polls).catch((error: unknown) => log.warn("quota could not be computed", { error: errorText(error) }));
}
