/**
 * The polling part of the daemon, connected as app/ does it (`createPollEngine`), with one key, a
 * real store in a temporary file, a scripted data service and a virtual clock. It can be crashed
 * between any two steps and started again on the same file.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { watchTypeOf } from "../../src/watches/registry.ts";
import { registrationOf } from "../../src/operate/changes/registration-of.ts";
import { createDaemonEvents } from "../../src/app/daemon/daemon-events.ts";
import { createPollEngine } from "../../src/app/polling/poll-engine.ts";
import type { Engine } from "../../src/engine/engine.ts";
import type { UpstreamMonitor } from "../../src/engine/health/upstream-monitor.ts";
import type { RouteEvaluated } from "../../src/polling/evaluate/verdicts.ts";
import { createUpstreamPacer, type UpstreamPacer } from "../../src/budget/upstream-pacer.ts";
import { PlannedPolls } from "../../src/engine/planned-polls.ts";
import type { OpsAlert } from "../../src/model/ops-alerts.ts";
import { WHOLE } from "../../src/model/replicas.ts";
import type { PollOutcome } from "../../src/polling/run/poll-outcome.ts";
import { createPollTrace } from "../../src/polling/run/poll-trace.ts";
import { alertQuota } from "../../src/engine/quota/quota-alerts.ts";
import { QuotaMonitor } from "../../src/engine/quota/quota-monitor.ts";
import { createRequestGate, type RequestGate } from "../../src/requests/request-gate.ts";
import type { GateLimits } from "../../src/requests/reservation.ts";
import { createServiceClock } from "../../src/requests/service-clock.ts";
import type { StoreMonitor } from "../../src/model/store-health.ts";
import type { ChirpEvent } from "../../src/model/event.ts";
import type { Log } from "../../src/model/log.ts";
import type { Meter } from "../../src/model/meter.ts";
import type { Store } from "../../src/model/store.ts";
import type { Upstream } from "../../src/model/upstream.ts";
import type { Watch } from "../../src/model/watch.ts";
import { sha256 } from "../../src/runtime/hash.ts";
import { createTimetable } from "../../src/schedule/timetable.ts";
import { openStore } from "../../src/state/open.ts";
import { createKillSwitch, type KillSwitch } from "./kill-switch.ts";
import { createRecordedOpsAlerts } from "./recorded-ops-alerts.ts";
import { createSeededRandom } from "./seeded-random.ts";
import { makeEmptyState } from "./empty-state.ts";
import type { VirtualClock } from "./virtual-clock.ts";

export interface EngineHarnessOptions {
  readonly clock: VirtualClock;
  readonly upstream: Upstream;
  readonly watches: readonly Watch[];
  readonly seed?: number;
  readonly monthly?: number;
  readonly reserve?: number;
  /** The rate limit in requests per second; 20 by default. */
  readonly perSecond?: number;
  readonly onExhausted?: "degrade" | "pause";
  /** Starts the governor, which is off by default. */
  readonly isGoverned?: boolean;
  /** Wraps the store of the engine, for example to make it fail. */
  readonly storeFilter?: (store: Store) => Store;
  /** Writes what an earlier release left, after the first registration. */
  readonly prepare?: (store: Store) => Promise<void>;
  readonly renewKey?: () => Promise<boolean>;
  /** Asks the service whether it would answer again after it refused the key. */
  readonly probe?: () => Promise<boolean>;
}

export interface PolledNote {
  readonly atMs: number;
  readonly key: string;
  readonly outcome: PollOutcome | undefined;
  readonly error: unknown;
}

export interface EngineHarness {
  readonly store: Store;
  readonly engine: Engine;
  readonly gate: RequestGate;
  readonly pacer: UpstreamPacer;
  readonly storeMonitor: StoreMonitor;
  readonly upstreamMonitor: UpstreamMonitor;
  readonly quotaMonitor: QuotaMonitor;
  readonly killSwitch: KillSwitch;
  readonly opsAlerts: (OpsAlert & { readonly atMs: number })[];
  readonly direct: string[];
  readonly polled: PolledNote[];
  readonly logged: { readonly level: string; readonly message: string; readonly fields: unknown }[];
  /** Returns every event in the state, newest first. */
  events(): Promise<readonly ChirpEvent[]>;
  /** Makes other watches active, as a reload does. */
  setWatches(watches: readonly Watch[]): Promise<void>;
  pause(watchId: string, paused: boolean): Promise<void>;
  /** Ends everything without a proper stop, and starts again on the same file. */
  crash(): Promise<void>;
  /** Stops as a daemon does, and starts again on the same file. */
  restart(): Promise<void>;
  /** Stops and removes the file. */
  close(): Promise<void>;
}

/** Routes every event to the sinks that its watch names. */
const routeToOwnSinks: RouteEvaluated = ({ event, ownSinks }, nowMs) => {
  const timing = { groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: nowMs };
  return {
    event,
    deliveries: ownSinks.map((sink) => ({
      eventId: event.id,
      sink,
      groupKey: event.id,
      ...timing,
    })),
  };
};

const SILENT_METER: Meter = {
  count: () => undefined,
  set: () => undefined,
  observe: () => undefined,
};

export async function startEngineHarness(options: EngineHarnessOptions): Promise<EngineHarness> {
  const folder = makeEmptyState();
  const opsAlerts: EngineHarness["opsAlerts"] = [];
  const direct: string[] = [];
  const polled: PolledNote[] = [];
  const logged: EngineHarness["logged"] = [];
  let watches = options.watches;
  let runs = 0;
  const log = recordingLog(logged);
  const boot = () =>
    bootParts(options, {
      path: join(folder, "state.db"),
      watches,
      opsAlerts,
      direct,
      polled,
      log,
      run: runs++,
    });
  let parts = await boot();

  const harness: EngineHarness = {
    get store() {
      return parts.store;
    },
    get engine() {
      return parts.engine;
    },
    get gate() {
      return parts.gate;
    },
    get pacer() {
      return parts.pacer;
    },
    get storeMonitor() {
      return parts.storeMonitor;
    },
    get upstreamMonitor() {
      return parts.upstreamMonitor;
    },
    get quotaMonitor() {
      return parts.quotaMonitor;
    },
    get killSwitch() {
      return parts.killSwitch;
    },
    opsAlerts,
    direct,
    polled,
    logged,
    events: () => parts.file.recentEvents(1_000_000),
    async setWatches(next) {
      watches = next;
      await parts.setWatches(next);
    },
    async pause(watchId, paused) {
      await parts.store.setPaused(watchId, paused, { atMs: options.clock.now() });
      await parts.engine.watchesChanged([watchId]);
    },
    async crash() {
      parts.killSwitch.kill();
      await parts.file.close();
      parts = await boot();
    },
    async restart() {
      await stop(parts, options.clock);
      await parts.file.close();
      parts = await boot();
    },
    async close() {
      await stop(parts, options.clock);
      await parts.file.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return harness;
}

async function stop(
  parts: Awaited<ReturnType<typeof bootParts>>,
  clock: VirtualClock,
): Promise<void> {
  parts.upstreamMonitor.stop();
  parts.storeMonitor.stop();
  parts.quotaMonitor.stop();
  let isStopped = parts.killSwitch.isKilled;
  const stopped = isStopped
    ? Promise.resolve()
    : parts.engine.stop().then(() => void (isStopped = true));
  for (let turn = 0; turn < 1_000 && !isStopped; turn += 1) await clock.advance(100);
  await stopped;
}

interface Recorders {
  readonly path: string;
  readonly watches: readonly Watch[];
  readonly opsAlerts: EngineHarness["opsAlerts"];
  readonly direct: string[];
  readonly polled: PolledNote[];
  readonly log: Log;
  readonly run: number;
}

async function bootParts(options: EngineHarnessOptions, to: Recorders) {
  const killSwitch = createKillSwitch();
  const clock = killSwitch.killableClock(options.clock);
  const random = createSeededRandom((options.seed ?? 1) * 1_000 + to.run);
  const file = await openStore({ path: to.path, clock: options.clock, random, log: to.log });
  const store = killSwitch.killable<Store>(options.storeFilter?.(file) ?? file);
  const upstream = killSwitch.killable(options.upstream);
  const { log } = to;
  const meter = SILENT_METER;
  const hash = sha256;
  const timetable = createTimetable();
  const polls = new PlannedPolls();
  const serviceClock = createServiceClock(clock);
  const pacer = createUpstreamPacer(random);
  const opsAlerts = createRecordedOpsAlerts(
    store,
    clock,
    (alert) => void to.opsAlerts.push({ ...alert, atMs: clock.now() }),
  );
  const events = createDaemonEvents();
  events.on(
    "polled",
    (poll, outcome, error) =>
      void to.polled.push({ atMs: clock.now(), key: poll.key, outcome, error }),
  );
  const quota = { reserve: options.reserve ?? 0.1, resetDay: 1, timezone: "UTC" };
  const settings = () => ({
    ...quota,
    monthly: options.monthly,
    onExhausted: options.onExhausted ?? ("pause" as const),
  });
  const quotaMonitor = new QuotaMonitor({
    ledger: store,
    learned: store,
    notes: store,
    clock,
    timetable,
    meter,
    log,
    settings,
    keys: () => [{ name: "", limit: undefined, isUsable: true }],
    polls: () => polls.all,
    share: WHOLE,
    states: () => store.listWatches(),
    onRefreshed: (status) => alertQuota({ clock, opsAlerts, settings }, status),
    onPaceChanged: () => events.emit("paceChanged"),
  });
  const limits = (): GateLimits => ({
    rate: { count: options.perSecond ?? 20, intervalMs: 1_000 },
    timeoutMs: 30_000,
    quota: { ...quota, monthly: options.monthly },
  });
  const trace = createPollTrace(clock);
  const gate = createRequestGate({
    upstream,
    ledger: store,
    clock,
    serviceClock,
    pacer,
    meter,
    log,
    trace,
    limits,
    renewKey: options.renewKey ?? (async () => false),
    pages: quotaMonitor.pages,
    onReserved: (kind) => (kind === "granted" ? quotaMonitor.granted() : undefined),
    onOutcome: (error) => events.emit("attemptEnded", error),
  });
  const { engine, upstreamMonitor, storeMonitor } = createPollEngine({
    ...{
      store,
      share: WHOLE,
      gate,
      pacer,
      opsAlerts,
      quotaMonitor,
      clock,
      serviceClock,
      random,
      timetable,
      polls,
      isArchiving: () => true,
      hash,
      meter,
      log,
      trace,
      events,
    },
    route: routeToOwnSinks,
    notifyDirectly: async (text) => void to.direct.push(text),
    probe: options.probe ?? (async () => false),
    retentionMs: () => 90 * 86_400_000,
  });
  const setWatches = async (watches: readonly Watch[]) => {
    const states = await store.registerWatches(
      watches.map((watch) => registrationOf(hash, watch)),
      clock.now(),
    );
    if (to.run === 0) await options.prepare?.(file);
    await engine.setWatches(
      watches.flatMap((watch, index) => {
        const state = states[index];
        return state === undefined || !watch.enabled
          ? []
          : [{ watch, type: watchTypeOf(watch), state }];
      }),
    );
  };
  await upstreamMonitor.start();
  await setWatches(to.watches);
  if (options.isGoverned === true) {
    await quotaMonitor.refresh(engine.polls);
    quotaMonitor.start();
  }
  engine.start();
  return {
    file,
    store,
    engine,
    gate,
    pacer,
    storeMonitor,
    upstreamMonitor,
    quotaMonitor,
    killSwitch,
    setWatches,
  };
}

function recordingLog(lines: EngineHarness["logged"]): Log {
  const take = (level: string) => (message: string, fields?: unknown) =>
    void lines.push({ level, message, fields });
  const log: Log = {
    debug: take("debug"),
    info: take("info"),
    warn: take("warn"),
    error: take("error"),
    child: () => log,
  };
  return log;
}
