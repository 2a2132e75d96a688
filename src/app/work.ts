/**
 * The work of a daemon on its state: polling, delivering, and what goes on beside. Of several
 * replicas each does its share of it.
 */
import type { Config } from "../config/config.ts";
import { startHeartbeat } from "../engine/health/heartbeat.ts";
import type { Pump } from "../deliver/pump.ts";
import type { Cancel } from "../model/clock.ts";
import type { StoreWatch } from "../model/store-health.ts";
import { repeat } from "../engine/health/repeat.ts";
import type { ChangedWatches, Share } from "../model/replicas.ts";
import { createPollTrace } from "../polling/run/poll-trace.ts";
import { collectGarbage } from "../runtime/collect-garbage.ts";
import { createMeter } from "../server/metrics/meter.ts";
import type { ReloadOutcome } from "../server/contract/actions.ts";
import type { OpenedStore } from "../state/open.ts";
import { createActions } from "../operate/actions/actions.ts";
import { createDaemonEffects } from "./daemon-effects.ts";
import { watchClock } from "./clock-watch.ts";
import type { ActivityFeed } from "../operate/views/activity.ts";
import type { DaemonDeps } from "./daemon/daemon-deps.ts";
import { createDaemonEvents, type DaemonEvents } from "./daemon/daemon-events.ts";
import { enabledOf, registerConfiguredWatches } from "./daemon/registration.ts";
import { createTeardown, type Teardown } from "./daemon/teardown.ts";
import { createDelivering, type Delivering } from "./delivering/delivering.ts";
import { createEnriching, type Enriching } from "./delivering/enriching.ts";
import { type ActiveSilences, createActiveSilences } from "../operate/alerts/silences.ts";
import { warnOfStranded } from "../operate/alerts/stranded.ts";
import { startLevels } from "./levels.ts";
import { createPolling, type Polling } from "./polling/polling.ts";
import { startPruning } from "./pruning.ts";
import { startReports } from "./reports/scheduled-reports.ts";
import { type LoopTurns, MAX_TURN_MS } from "./fleet/supervise.ts";
import type { Revisions } from "./fleet/revisions.ts";
import { createReloader, type Reloader } from "./reload/reload.ts";
import { watchFiles } from "./reload/watch-files.ts";
import { createSandboxGuard } from "./sandbox-guard.ts";
import type { Serving } from "./daemon/serving.ts";
import { createSwap } from "./swap.ts";
import { createViews } from "../operate/views/views.ts";

export interface WorkParts {
  readonly feed: ActivityFeed;
  readonly store: OpenedStore;
  readonly deps: DaemonDeps;
  /** When the daemon started. */
  readonly startedAtMs: number;
  readonly share: Share;
  readonly revisions: Revisions;
  readonly serving: Serving;
}

export interface RunningWork {
  /** The active one. */
  readonly config: () => Config;
  reload(askedBy: string): Promise<ReloadOutcome>;
  /** The share is larger. */
  takeShare(): Promise<void>;
  /** Others changed what the state holds, or this replica leads now. */
  readAgain(watches: ChangedWatches): Promise<void>;
  wakeDelivery(): void;
  /** For `supervise`. */
  loops(): ReadonlyMap<string, LoopTurns>;
  /** Stops in reverse order of the start; deliveries under way may finish. */
  stop(): Promise<void>;
}

/**
 * Docker kills ten seconds after SIGTERM: messages under way get eight of them, and polls that end
 * before have their time within these.
 */
const GRACE_MS = 8_000;
/** The poll loop turns at least every 30 s. */
const ALIVE_WITHIN_MS = 120_000;
const STATE_CHECK_EVERY_MS = 15_000;
const LOCK_CHECK_EVERY_MS = 5_000;
/**
 * Registering and planning so many leaves tens of megabytes behind, just before their first reads
 * take as much.
 */
const MANY_WATCHES = 2_000;

/** @throws ExitError, after everything already started was stopped. */
export async function startWork(config: Config, parts: WorkParts): Promise<RunningWork> {
  const teardown = createTeardown(parts.deps.log);
  try {
    return await begin(config, parts, teardown);
  } catch (error) {
    await teardown.drain();
    throw error;
  }
}

async function begin(initial: Config, parts: WorkParts, teardown: Teardown): Promise<RunningWork> {
  const { feed, store, deps, startedAtMs, share, revisions, serving } = parts;
  const { clock, hash, log, http } = deps;
  const meter = createMeter();
  const trace = createPollTrace(clock);
  const events = createDaemonEvents();
  const silences = createActiveSilences(store, clock);
  await silences.load();
  const delivering = await createDelivering(initial, {
    store,
    silences,
    meter,
    trace,
    events,
    deps,
    share,
  });
  const { config, routing, delivery, opsAlerts, active } = delivering;
  let stopBegunMs: number | undefined;
  const graceLeftMs = () =>
    Math.max(0, GRACE_MS - (clock.monotonic() - (stopBegunMs ?? clock.monotonic())));
  teardown.push("delivery", () => delivering.stop(graceLeftMs()));
  const guard = createSandboxGuard({
    http,
    config,
    ...(deps.onRefused === undefined ? {} : { onRefused: deps.onRefused }),
  });
  const polling = createPolling({
    delivering,
    store,
    meter,
    trace,
    events,
    deps: { ...deps, http: guard.http },
    share,
  });
  const { engine, report } = polling;
  teardown.push("polling", () => polling.stop());

  const swap = createSwap({ guard, delivering, polling, store, hash, clock, log, share });
  const onStoreError = (error: unknown) => void polling.storeWatch.takeError(error);
  const states = () => store.listWatches();
  const reloader = createReloader({
    deps,
    opsAlerts,
    meter,
    clock,
    states,
    onStoreError,
    config,
    revisions,
    ...swap,
  });
  events.on("storeRecovered", () => reloader.storeRecovered());
  const outbox = { pump: () => delivery().pump, onCommitted: () => events.emit("committed") };
  const effects = createDaemonEffects({
    store,
    share,
    silences,
    engine,
    service: polling,
    route: active.route,
    reloader,
    ...outbox,
  });
  const actions = createActions({ store, clock, hash, config, effects });
  const { quotaWatch, auditReadings, keyWatch, keyQuotas, upstreamWatch, storeWatch } = polling;
  const polled = {
    feed,
    quotaWatch,
    auditReadings,
    keyWatch,
    keyQuotas,
    upstreamWatch,
    storeWatch,
  };
  const enriching = createEnriching({ delivering, store, meter, events, deps });
  const { lastRefusal, lastReload, loadedAtMs } = reloader;
  const shown = {
    config,
    routing,
    delivery,
    lastRefusal,
    lastReload,
    loadedAtMs,
    failingEnrichments: enriching.failing,
  };
  const views = createViews({
    ...polled,
    ...shown,
    engine,
    deps,
    store,
    meter,
    clock,
    startedAtMs,
    revisions,
  });
  serving.show({ clock, log, views, actions }, teardown);
  log.info("status page is up", { url: serving.url });

  const registered = await registerConfiguredWatches(initial, { store, hash, clock, log, share });
  active.set(registered);
  const watches = enabledOf(registered);
  await delivery().pump.start();
  await engine.setWatches(watches);
  report.started(watches);
  await polling.start();
  if (watches.length > MANY_WATCHES) collectGarbage();
  engine.start();
  startBeside(initial, { deps, delivering, store, reloader }, teardown);
  const lead = startLeading(
    initial,
    { deps, store, silences, events, delivering, enriching, polling, share },
    teardown,
  );
  lead();
  const shares = sharesOf({ deps, store, silences, delivering, polling, share }, lead);
  const stop = () => {
    stopBegunMs ??= clock.monotonic();
    return teardown.drain();
  };
  const wakeDelivery = () => events.emit("committed");
  const loops = () =>
    new Map([
      ["polls", { turns: engine.loop.lastTurnMs, withinMs: MAX_TURN_MS }],
      ...loopsOf(delivery().pump),
    ]);
  return { config, reload: reloader.reload, ...shares, wakeDelivery, loops, stop };
}

/** A sink can have several: for its messages, for edits, and for what is published. */
const loopsOf = (pump: Pump): readonly (readonly [string, LoopTurns])[] =>
  [...pump.turns()].flatMap(([sink, loops]) =>
    loops.map(
      (turns, at) =>
        [
          `sink ${sink}${at === 0 ? "" : ` (${at + 1})`}`,
          { turns, withinMs: MAX_TURN_MS },
        ] as const,
    ),
  );

type ShareParts = Pick<
  LeadingParts,
  "deps" | "store" | "silences" | "delivering" | "polling" | "share"
>;

function sharesOf(
  { deps: { hash, clock, log }, store, silences, delivering, polling, share }: ShareParts,
  lead: () => void,
): Pick<RunningWork, "takeShare" | "readAgain"> {
  const { config, delivery, opsAlerts, active } = delivering;
  const { engine, report } = polling;
  return {
    async takeShare() {
      await engine.takeShare();
      await delivery().pump.takeShare();
    },
    async readAgain(changed) {
      lead();
      await silences.load();
      await opsAlerts.reload();
      if (changed === "all") {
        const known = await registerConfiguredWatches(config(), { store, hash, clock, log, share });
        active.set(known);
        const watches = enabledOf(known);
        await engine.readAgain(watches);
        report.readAgain(watches);
      } else {
        polling.tryAtOnce();
        await engine.watchesChanged(changed);
      }
      await delivery().pump.takeShare();
    },
  };
}

/**
 * A daemon may have nothing else to write. On a file, where nobody else should be, only a lock is
 * looked for, which costs the disk nothing.
 */
function startStateCheck(
  storeWatch: StoreWatch,
  { isAlone }: Share,
  { clock, log }: DaemonDeps,
): Cancel {
  const onError = (error: unknown) => log.error("the state could not be checked", { error });
  return isAlone
    ? repeat({
        clock,
        everyMs: LOCK_CHECK_EVERY_MS,
        work: () => storeWatch.proveUnlocked(),
        onError,
      })
    : repeat({ clock, everyMs: STATE_CHECK_EVERY_MS, work: () => storeWatch.prove(), onError });
}

interface BesideParts {
  readonly deps: DaemonDeps;
  readonly delivering: Delivering;
  readonly store: OpenedStore;
  readonly reloader: Reloader;
}

/** What goes on beside polling and delivering, in every replica. */
function startBeside(
  initial: Config,
  { deps, delivering, store, reloader }: BesideParts,
  teardown: Teardown,
): void {
  const { clock, hash, log, files } = deps;
  void delivering.check();
  void warnOfStranded(initial, { store, log });
  void store.problems.then((problems) => {
    if (problems.length > 0)
      log.error("state is damaged", {
        problems,
        hint: "stop the daemon and run chirpwatch state restore",
      });
  });
  const onChange = async () => void (await reloader.reload("file change"));
  if (deps.watchFiles)
    teardown.push(
      "file watch",
      watchFiles({ files, clock, hash, paths: () => delivering.config().files, onChange }),
    );
}

interface LeadingParts {
  readonly deps: DaemonDeps;
  readonly store: OpenedStore;
  readonly silences: ActiveSilences;
  readonly events: DaemonEvents;
  readonly delivering: Delivering;
  readonly enriching: Enriching;
  readonly polling: Polling;
  readonly share: Share;
}

/**
 * What is done once for all replicas. Returns what begins it once this one leads; it may be called
 * again.
 */
function startLeading(
  initial: Config,
  { deps, store, silences, events, delivering, enriching, polling, share }: LeadingParts,
  teardown: Teardown,
): () => void {
  const { clock, hash, log, http } = deps;
  const { config, delivery } = delivering;
  const { engine } = polling;
  let hasBegun = false;
  return () => {
    if (hasBegun || !share.isLeading()) return;
    hasBegun = true;
    engine.lead();
    teardown.push(
      "pruning",
      startPruning({
        store,
        clock,
        log,
        retentionMs: () => config().state.retentionMs,
        polls: () => engine.polls,
      }),
    );
    if (share.isAlone)
      teardown.push(
        "clock watch",
        watchClock({ clock, log, store, silences, engine, pump: () => delivery().pump }),
      );
    // The one that leads notifies the operator for all replicas.
    teardown.push("state check", startStateCheck(polling.storeWatch, share, deps));
    teardown.push(
      "levels",
      startLevels({
        ...delivering,
        store,
        clock,
        hash,
        log,
        polls: () => engine.polls,
        wakeDelivery: () => events.emit("committed"),
      }),
    );
    teardown.push(
      "reports",
      startReports({
        store,
        clock,
        hash,
        log,
        config,
        wakeDelivery: () => events.emit("committed"),
      }),
    );
    teardown.push("enriching", enriching.start());
    const isAlive = () =>
      polling.storeWatch.trouble === undefined &&
      clock.monotonic() - engine.loop.lastTurnMs < ALIVE_WITHIN_MS;
    const { heartbeat } = initial.ops;
    if (heartbeat !== undefined)
      teardown.push("heartbeat", startHeartbeat(heartbeat, { http, clock, log, isAlive }));
  };
}
