/**
 * The work of a daemon on its state: polling, delivering and background jobs. With several
 * replicas, each replica does its share.
 */
import type { Config } from "../config/config.ts";
import { type Chat, createChat } from "../chat/chat.ts";
import { startHeartbeat } from "../engine/health/heartbeat.ts";
import type { Pump } from "../deliver/pump.ts";
import type { Engine } from "../engine/engine.ts";
import type { Cancel, Clock } from "../model/clock.ts";
import type { Hash } from "../model/hash.ts";
import type { Log } from "../model/log.ts";
import type { StoreMonitor } from "../model/store-health.ts";
import { repeat } from "../engine/health/repeat.ts";
import { yieldAfter } from "../model/steps.ts";
import type { ChangedWatches, Share } from "../model/replicas.ts";
import { createPollTrace } from "../polling/run/poll-trace.ts";
import { collectGarbage } from "../runtime/collect-garbage.ts";
import { createMeter, type ReadableMeter } from "../server/metrics/meter.ts";
import { createTrials } from "../operate/actions/trials.ts";
import type { HttpRouteDeps } from "../server/routes.ts";
import type { Actions, ReloadOutcome } from "../server/contract/actions.ts";
import type { OpenedStore } from "../state/open.ts";
import { createActions } from "../operate/actions/actions.ts";
import { createDaemonEffects } from "./daemon-effects.ts";
import { type Archiving, createArchiving } from "./archiving.ts";
import { countAhead } from "./count-ahead.ts";
import { watchClock } from "./clock-monitor.ts";
import type { ActivityFeed } from "../operate/views/activity.ts";
import type { DaemonDeps } from "./daemon/daemon-deps.ts";
import { createDaemonEvents, type DaemonEvents } from "./daemon/daemon-events.ts";
import { enabledOf, registerConfiguredWatches } from "./daemon/registration.ts";
import { createTeardown, type Teardown } from "./daemon/teardown.ts";
import { createDelivering, type Delivering } from "./delivering/delivering.ts";
import { createEnriching, type Enriching } from "./delivering/enriching.ts";
import { type ActiveSilences, createActiveSilences } from "../operate/alerts/silences.ts";
import { warnOfStranded } from "../operate/alerts/stranded.ts";
import { startEscalations } from "../operate/alerts/escalations.ts";
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
  /** Returns the active configuration. */
  readonly config: () => Config;
  reload(askedBy: string): Promise<ReloadOutcome>;
  /** Begins the work that was added to this replica's share. */
  takeShare(): Promise<void>;
  /**
   * Reads the state again, because other replicas changed it or this replica has become the leader.
   */
  readAgain(watches: ChangedWatches): Promise<void>;
  wakeDelivery(): void;
  /** Returns the loops for `supervise`. */
  loops(): ReadonlyMap<string, LoopTurns>;
  /** Stops in reverse order of the start. Deliveries under way may finish. */
  stop(): Promise<void>;
}

/**
 * The grace period of a stop. Docker kills a process ten seconds after SIGTERM. Messages under way
 * get eight of these seconds, including the time that polls need to end.
 */
const GRACE_MS = 8_000;
/**
 * The heartbeat stops when the poll loop has made no turn for this long. A healthy loop makes one
 * at least every 30 seconds.
 */
const ALIVE_WITHIN_MS = 120_000;
const STATE_CHECK_EVERY_MS = 15_000;
const LOCK_CHECK_EVERY_MS = 5_000;
/**
 * Registering and planning more watches than this leaves tens of megabytes of garbage, just before
 * the first reads need as much.
 */
const MANY_WATCHES = 2_000;

/**
 * Starts the work.
 * @throws ExitError, after everything that was already started was stopped
 */
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
  const archiving = createArchiving({ ...core, files: deps.files, config });
  const guard = createSandboxGuard({ http, config, onRefused });
  const polling = createPolling({
    ...core,
    archiving,
    delivering,
    deps: { ...deps, http: guard.http },
  });
  teardown.push("polling", () => polling.stop());
  const reloader = createReloader({
    ...core,
    ...createSwap({ ...core, guard, delivering, polling }),
    ...delivering,
    states: () => store.listWatches(),
    onStoreError: (error) => void polling.storeMonitor.recordError(error),
  });
  core.events.on("storeRecovered", () => reloader.storeRecovered());
  const enriching = createEnriching({ ...core, delivering });
  const acting: BuiltParts = { ...core, archiving, delivering, polling, reloader, enriching };
  const actions = actionsOf(acting);
  const built = { ...acting, chat: createChat({ ...acting, ...delivering, http, actions }) };
  const shown = shownOf(built, actions);
  serving.show(shown, teardown);
  log.info("status page is up", { url: serving.url });

  const registered = await registerConfiguredWatches(initial, core);
  active.set(registered);
  const watches = enabledOf(registered);
  const { engine, report } = polling;
  await yieldAfter(watches);
  await delivery().pump.start();
  await engine.setWatches(watches);
  report.started(watches);
  await yieldAfter(watches);
  await polling.start();
  await yieldAfter(watches);
  if (watches.length > MANY_WATCHES) collectGarbage();
  engine.start();
  startBackgroundJobs(initial, built, teardown);
  // With more watches, the page takes seconds, for which polls would wait.
  if (serving.url !== "" && watches.length <= MANY_WATCHES)
    teardown.push(
      "figures of the pages",
      countAhead({
        ...core,
        views: shown.views,
        collectGarbage: deps.adapters?.collectGarbage ?? collectGarbage,
      }),
    );
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

/**
 * Returns how many ms of the grace period of a stop remain. Until the stop begins, the whole grace
 * period remains.
 */
function createGrace(clock: Clock) {
  let begunMs: number | undefined;
  return {
    begin() {
      begunMs ??= clock.monotonic();
    },
    leftMs: () => Math.max(0, GRACE_MS - (clock.monotonic() - (begunMs ?? clock.monotonic()))),
  };
}

/** The parts of the work, by name, for the code that connects them further. */
interface BuiltWork extends BuiltParts {
  readonly chat: Chat;
}

/** The parts that carry out what people ask for. */
interface BuiltParts extends WorkParts {
  readonly clock: Clock;
  readonly hash: Hash;
  readonly log: Log;
  readonly meter: ReadableMeter;
  readonly events: DaemonEvents;
  readonly silences: ActiveSilences;
  readonly archiving: Archiving;
  readonly delivering: Delivering;
  readonly polling: Polling;
  readonly reloader: Reloader;
  readonly enriching: Enriching;
}

/** Creates the actions, which the server, the control socket and the chats offer alike. */
function actionsOf(built: BuiltParts): Actions {
  const { delivering, polling, events } = built;
  const { config, delivery, active } = delivering;
  const effects = createDaemonEffects({
    ...built,
    engine: polling.engine,
    service: polling,
    route: active.route,
    pump: () => delivery().pump,
    onCommitted: () => events.emit("committed"),
    onMarked: () => events.emit("escalationsChanged"),
  });
  return createActions({ ...built, config, effects });
}

/** Returns what the server shows and which actions it offers. */
function shownOf(built: BuiltWork, actions: Actions): HttpRouteDeps {
  const { delivering, polling, reloader, enriching, chat } = built;
  const { config, delivery } = delivering;
  const { engine } = polling;
  const { quotaMonitor, auditReadings, keyMonitor, keyQuotas, upstreamMonitor, storeMonitor } =
    polling;
  const views = createViews({
    ...built,
    ...delivering,
    ...reloader,
    ...{
      engine,
      quotaMonitor,
      auditReadings,
      keyMonitor,
      keyQuotas,
      upstreamMonitor,
      storeMonitor,
    },
    failingEnrichments: enriching.failing,
    chatTroubles: () => chat.troubles(),
  });
  const trials = createTrials({
    ...built,
    config,
    ...{ gate: polling.gate, backfill: actions.backfill, random: built.deps.random },
    polls: () => engine.polls,
    sinks: () => delivery().sinks,
  });
  return { ...built, views, actions, trials };
}

/**
 * Returns the supervised loops, by name. A sink can have several: for its messages, for edits, and
 * for publishing.
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
      built.events.emit("escalationsChanged");
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
 * Starts the regular check of the state, because a daemon that has nothing to write would not
 * notice that the state fails. If the state is a file, no other process should use it, and only its
 * lock is checked, which needs no disk access.
 */
function startStateCheck(
  storeMonitor: StoreMonitor,
  { isAlone }: Share,
  { clock, log }: DaemonDeps,
): Cancel {
  const onError = (error: unknown) => log.error("the state could not be checked", { error });
  return isAlone
    ? repeat({
        clock,
        everyMs: LOCK_CHECK_EVERY_MS,
        work: () => storeMonitor.proveUnlocked(),
        onError,
      })
    : repeat({ clock, everyMs: STATE_CHECK_EVERY_MS, work: () => storeMonitor.prove(), onError });
}

/**
 * Starts the background jobs that every replica runs: credential checks, state checks and the file
 * watch.
 */
function startBackgroundJobs(
  initial: Config,
  { deps, archiving, delivering, store, reloader }: BuiltWork,
  teardown: Teardown,
): void {
  teardown.push("free space", archiving.watchSpace());
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
 * Returns a function that starts the jobs that only the leading replica does. The function may be
 * called repeatedly.
 */
function startLeading(initial: Config, built: BuiltWork, teardown: Teardown): () => void {
  const { deps, store, clock, log, share, events } = built;
  const { archiving, delivering, enriching, polling, chat } = built;
  const { config, delivery } = delivering;
  const { engine, storeMonitor } = polling;
  const { heartbeat } = initial.ops;
  const polls = () => engine.polls;
  const wakeDelivery = () => events.emit("committed");
  const retentionMs = () => config().state.retentionMs;
  const isAlive = () =>
    storeMonitor.trouble === undefined &&
    clock.monotonic() - engine.loop.lastTurnMs < ALIVE_WITHIN_MS;
  let hasBegun = false;
  return () => {
    if (hasBegun || !share.isLeading()) return;
    hasBegun = true;
    engine.lead();
    teardown.push("trimming", archiving.startTrimming());
    teardown.push("pruning", startPruning({ store, clock, log, retentionMs, polls }));
    if (share.isAlone)
      teardown.push("clock watch", watchClock({ ...built, engine, pump: () => delivery().pump }));
    // The replica that leads notifies the operator for all of them.
    teardown.push("state check", startStateCheck(storeMonitor, share, deps));
    teardown.push("levels", startLevels({ ...built, ...delivering, polls, wakeDelivery }));
    const escalations = startEscalations({ ...built, ...delivering, wakeDelivery });
    teardown.push("escalations", () => escalations.stop());
    events.on("escalationsChanged", () => escalations.wake());
    events.on("activated", () => escalations.wake("replan"));
    teardown.push("reports", startReports({ ...built, config, wakeDelivery }));
    teardown.push("enriching", enriching.start());
    if (heartbeat !== undefined)
      teardown.push("heartbeat", startHeartbeat(heartbeat, { ...deps, isAlive }));
    // This is pushed last, so that a replica that no longer leads closes its sockets first.
    teardown.push("chat", () => chat.stop());
    void chat.update();
    events.on("activated", () => void chat.update());
  };
}
