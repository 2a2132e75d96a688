/**
 * The work of a daemon on its state: polling, delivering, and what goes on beside. Of several
 * replicas each does its share of it.
 */
import type { Config } from "../config/config.ts";
import { startHeartbeat } from "../engine/health/heartbeat.ts";
import type { Pump } from "../deliver/pump.ts";
import type { Engine } from "../engine/engine.ts";
import type { Cancel, Clock } from "../model/clock.ts";
import type { Hash } from "../model/hash.ts";
import type { Log } from "../model/log.ts";
import type { StoreWatch } from "../model/store-health.ts";
import { repeat } from "../engine/health/repeat.ts";
import type { ChangedWatches, Share } from "../model/replicas.ts";
import { createPollTrace } from "../polling/run/poll-trace.ts";
import { collectGarbage } from "../runtime/collect-garbage.ts";
import { createMeter, type ReadableMeter } from "../server/metrics/meter.ts";
import type { HttpRouteDeps } from "../server/routes.ts";
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
import { startLevels } from "../operate/alerts/levels.ts";
import { createPolling, type Polling } from "./polling/polling.ts";
import { startPruning } from "./pruning.ts";
import { startReports } from "../operate/reports/scheduled-reports.ts";
import { type LoopTurns, MAX_TURN_MS } from "./fleet/supervise.ts";
import type { Revisions } from "./fleet/revisions.ts";
import { createReloader, type Reloader } from "./reload/reload.ts";
import { watchFiles } from "./reload/watch-files.ts";
import { createSandboxGuard } from "../engine/health/sandbox-guard.ts";
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
  const { store, deps, serving } = parts;
  const { clock, hash, log, http, onRefused } = deps;
  const core = {
    ...parts,
    ...{ clock, hash, log },
    meter: createMeter(),
    trace: createPollTrace(clock),
    events: createDaemonEvents(),
    silences: createActiveSilences(store, clock),
  };
  await core.silences.load();
  const delivering = await createDelivering(initial, core);
  const { config, delivery, active } = delivering;
  const grace = createGrace(clock);
  teardown.push("delivery", () => delivering.stop(grace.leftMs()));
  const guard = createSandboxGuard({ http, config, onRefused });
  const polling = createPolling({ ...core, delivering, deps: { ...deps, http: guard.http } });
  teardown.push("polling", () => polling.stop());
  const reloader = createReloader({
    ...core,
    ...createSwap({ ...core, guard, delivering, polling }),
    ...delivering,
    states: () => store.listWatches(),
    onStoreError: (error) => void polling.storeWatch.takeError(error),
  });
  core.events.on("storeRecovered", () => reloader.storeRecovered());
  const enriching = createEnriching({ ...core, delivering });
  const built: BuiltWork = { ...core, delivering, polling, reloader, enriching };
  serving.show(shownOf(built), teardown);
  log.info("status page is up", { url: serving.url });

  const registered = await registerConfiguredWatches(initial, core);
  active.set(registered);
  const watches = enabledOf(registered);
  const { engine, report } = polling;
  await delivery().pump.start();
  await engine.setWatches(watches);
  report.started(watches);
  await polling.start();
  if (watches.length > MANY_WATCHES) collectGarbage();
  engine.start();
  startBeside(initial, built, teardown);
  const lead = startLeading(initial, built, teardown);
  lead();
  return {
    config,
    reload: reloader.reload,
    ...sharesOf(built, lead),
    wakeDelivery: () => core.events.emit("committed"),
    loops: () => loopsOf(engine, delivery().pump),
    stop() {
      grace.begin();
      return teardown.drain();
    },
  };
}

/** What is left of the grace of a stop, in ms: all of it until the stop begins. */
function createGrace(clock: Clock) {
  let begunMs: number | undefined;
  return {
    begin() {
      begunMs ??= clock.monotonic();
    },
    leftMs: () => Math.max(0, GRACE_MS - (clock.monotonic() - (begunMs ?? clock.monotonic()))),
  };
}

/** The parts of the work, by name, as they are handed to what connects them further. */
interface BuiltWork extends WorkParts {
  readonly clock: Clock;
  readonly hash: Hash;
  readonly log: Log;
  readonly meter: ReadableMeter;
  readonly events: DaemonEvents;
  readonly silences: ActiveSilences;
  readonly delivering: Delivering;
  readonly polling: Polling;
  readonly reloader: Reloader;
  readonly enriching: Enriching;
}

/** What the server shows and lets people do. */
function shownOf(built: BuiltWork): HttpRouteDeps {
  const { delivering, polling, reloader, enriching, events } = built;
  const { config, delivery, active } = delivering;
  const { engine } = polling;
  const effects = createDaemonEffects({
    ...built,
    engine,
    service: polling,
    route: active.route,
    pump: () => delivery().pump,
    onCommitted: () => events.emit("committed"),
  });
  const { quotaWatch, auditReadings, keyWatch, keyQuotas, upstreamWatch, storeWatch } = polling;
  const views = createViews({
    ...built,
    ...delivering,
    ...reloader,
    ...{ engine, quotaWatch, auditReadings, keyWatch, keyQuotas, upstreamWatch, storeWatch },
    failingEnrichments: enriching.failing,
  });
  return { ...built, views, actions: createActions({ ...built, config, effects }) };
}

/**
 * The loops that must turn, by name. A sink can have several: for its messages, for edits, and for
 * what is published.
 */
function loopsOf({ loop }: Engine, pump: Pump): ReadonlyMap<string, LoopTurns> {
  const ofSinks = [...pump.turns()].flatMap(([sink, loops]) =>
    loops.map((turns, at) => [`sink ${sink}${at === 0 ? "" : ` (${at + 1})`}`, turns] as const),
  );
  return new Map(
    [["polls", loop.lastTurnMs] as const, ...ofSinks].map(([name, turns]) => [
      name,
      { turns, withinMs: MAX_TURN_MS },
    ]),
  );
}

function sharesOf(
  built: BuiltWork,
  lead: () => void,
): Pick<RunningWork, "takeShare" | "readAgain"> {
  const { silences, delivering, polling } = built;
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
        const known = await registerConfiguredWatches(config(), built);
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

/** What goes on beside polling and delivering, in every replica. */
function startBeside(
  initial: Config,
  { deps, delivering, store, reloader }: BuiltWork,
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

/**
 * What is done once for all replicas. Returns what begins it once this one leads; it may be called
 * again.
 */
function startLeading(initial: Config, built: BuiltWork, teardown: Teardown): () => void {
  const { deps, store, clock, log, share, events, delivering, enriching, polling } = built;
  const { config, delivery } = delivering;
  const { engine, storeWatch } = polling;
  const { heartbeat } = initial.ops;
  const polls = () => engine.polls;
  const wakeDelivery = () => events.emit("committed");
  const retentionMs = () => config().state.retentionMs;
  const isAlive = () =>
    storeWatch.trouble === undefined &&
    clock.monotonic() - engine.loop.lastTurnMs < ALIVE_WITHIN_MS;
  let hasBegun = false;
  return () => {
    if (hasBegun || !share.isLeading()) return;
    hasBegun = true;
    engine.lead();
    teardown.push("pruning", startPruning({ store, clock, log, retentionMs, polls }));
    if (share.isAlone)
      teardown.push("clock watch", watchClock({ ...built, engine, pump: () => delivery().pump }));
    // The one that leads notifies the operator for all replicas.
    teardown.push("state check", startStateCheck(storeWatch, share, deps));
    teardown.push("levels", startLevels({ ...built, ...delivering, polls, wakeDelivery }));
    teardown.push("reports", startReports({ ...built, config, wakeDelivery }));
    teardown.push("enriching", enriching.start());
    if (heartbeat !== undefined)
      teardown.push("heartbeat", startHeartbeat(heartbeat, { ...deps, isAlive }));
  };
}
