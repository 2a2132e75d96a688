/**
 * The composition root: makes a daemon in a straight line, each part with its own named teardown, drained last in first out at a stop and
 * when the start fails. Two lifetimes: what lives as long as the process, and what `delivering` swaps at a reload.
 */
import type { Config } from "../config/config.ts";
import type { Engine } from "../engine/engine.ts";
import { startHeartbeat } from "../engine/health/heartbeat.ts";
import { createPollTrace } from "../polling/run/poll-trace.ts";
import { collectGarbage } from "../runtime/collect-garbage.ts";
import { startControl } from "../server/control-socket.ts";
import { createMeter } from "../server/metrics/meter.ts";
import type { HttpRouteDeps } from "../server/routes.ts";
import { startServer } from "../server/server.ts";
import type { ReloadOutcome } from "../server/words/actions.ts";
import type { OpenedStore } from "../state/open.ts";
import { openState } from "../state/open-state.ts";
import { createActions } from "./actions.ts";
import type { Adapters, DaemonDeps } from "./daemon/daemon-deps.ts";
import { createDaemonEvents, type DaemonEvents } from "./daemon/daemon-events.ts";
import { createDelivering, type Delivering } from "./delivering/delivering.ts";
import { createEnriching, type Enriching } from "./delivering/enriching.ts";
import { type ActiveSilences, createActiveSilences } from "./delivering/silences.ts";
import { takeClockSetWhileStopped, watchClock } from "./clock-watch.ts";
import { claimOrigin } from "./daemon/origin.ts";
import { openOrStandBy } from "./daemon/stand-by.ts";
import { createPolling, type Polling } from "./polling/polling.ts";
import { startLevels } from "./levels.ts";
import { startPruning } from "./pruning.ts";
import { enabledOf, registerConfiguredWatches } from "./daemon/registration.ts";
import { createReloader, type Reloader } from "./reload/reload.ts";
import { createSwap } from "./swap.ts";
import { warnOfStranded } from "./delivering/stranded.ts";
import { createSandboxGuard } from "./sandbox-guard.ts";
import { createTeardown, type Teardown } from "./daemon/teardown.ts";
import { createViews } from "./views/views.ts";
import { watchFiles } from "./reload/watch-files.ts";

export interface Daemon {
  /** Status page and API. */
  readonly url: string;
  readonly engine: Engine;
  /** `askedBy` is for the log. */
  reload(askedBy: string): Promise<ReloadOutcome>;
  /** Stops in reverse order of the start; deliveries under way may finish. */
  stop(): Promise<void>;
}

/** Docker kills ten seconds after SIGTERM: messages under way get eight of them, and polls that end before have their time within these. */
const GRACE_MS = 8_000;
/** The poll loop turns at least every 30 s. */
const ALIVE_WITHIN_MS = 120_000;
/** Registering and planning so many leaves tens of megabytes behind, just before their first reads take as much. */
const MANY_WATCHES = 2_000;

const SHIPPED: Adapters = { openStore: openState, startControl, startServer };

/** @throws ExitError, after everything already started was stopped. */
export async function startDaemon(config: Config, deps: DaemonDeps): Promise<Daemon> {
  const teardown = createTeardown(deps.log);
  try {
    return await build(config, deps, teardown);
  } catch (error) {
    await teardown.drain();
    throw error;
  }
}

async function build(atStart: Config, deps: DaemonDeps, teardown: Teardown): Promise<Daemon> {
  const { clock, hash, log, http } = deps;
  const adapters = deps.adapters ?? SHIPPED;
  const { feed, store, config: initial } = await openOrStandBy(atStart, adapters, deps);
  const startedAtMs = clock.now();
  teardown.push("state", () => store.close());
  await claimOrigin(store, initial);
  await takeClockSetWhileStopped({ clock, log, store });

  const meter = createMeter();
  const trace = createPollTrace(clock);
  const events = createDaemonEvents();
  const silences = createActiveSilences(store, clock);
  await silences.load();
  const delivering = await createDelivering(initial, { store, silences, meter, trace, events, deps });
  const { config, routing, delivery, opsAlerts, active } = delivering;
  let stopBegunMs: number | undefined;
  const graceLeftMs = () => Math.max(0, GRACE_MS - (clock.monotonic() - (stopBegunMs ?? clock.monotonic())));
  teardown.push("delivery", () => delivering.stop(graceLeftMs()));
  const guard = createSandboxGuard({ http, config, ...(deps.onRefused === undefined ? {} : { onRefused: deps.onRefused }) });
  const polling = createPolling({ delivering, store, meter, trace, events, deps: { ...deps, http: guard.http } });
  const { engine, report } = polling;
  teardown.push("polling", () => polling.stop());

  const swap = createSwap({ guard, delivering, polling, store, hash, clock, log });
  const reloader = createReloader({ deps, opsAlerts, meter, clock, states: () => store.listWatches(), config, ...swap });
  events.on("storeRecovered", () => reloader.storeRecovered());
  const outbox = { pump: () => delivery().pump, onCommitted: () => events.emit("committed") };
  const actions = createActions({ store, silences, engine, clock, hash, reloader, config, route: active.route, ...outbox });
  const { quotaWatch, auditReadings, keyWatch, keyQuotas, upstreamWatch, storeWatch } = polling;
  const polled = { feed, quotaWatch, auditReadings, keyWatch, keyQuotas, upstreamWatch, storeWatch };
  const enriching = createEnriching({ delivering, store, meter, events, deps });
  const { lastRefusal, lastReload, loadedAtMs } = reloader;
  const shown = { config, routing, delivery, lastRefusal, lastReload, loadedAtMs, failingEnrichments: enriching.failing };
  const views = createViews({ ...polled, ...shown, engine, deps, store, meter, clock, startedAtMs });
  const url = await startServing(initial, { adapters, clock, log, views, actions, statePath: initial.state.path }, teardown);
  log.info("status page is up", { url });

  const registered = await registerConfiguredWatches(initial, store, hash, clock.now());
  active.set(registered);
  const watches = enabledOf(registered);
  await delivery().pump.start();
  await engine.setWatches(watches);
  report.started(watches);
  await polling.start();
  if (watches.length > MANY_WATCHES) collectGarbage();
  engine.start();
  startHousekeeping(initial, { deps, store, silences, events, delivering, enriching, polling, reloader }, teardown);
  const stop = () => {
    stopBegunMs ??= clock.monotonic();
    return teardown.drain();
  };
  return { url, engine, reload: reloader.reload, stop };
}

interface ServedParts extends HttpRouteDeps {
  readonly adapters: Adapters;
  readonly statePath: string;
}

/** The control socket and the status page. Returns the address of the page. */
async function startServing(
  { server: { host, port, token, publicUrl } }: Config,
  { adapters, clock, log, views, actions, statePath }: ServedParts,
  teardown: Teardown,
): Promise<string> {
  const routeDeps = { clock, log, views, actions };
  const control = await adapters.startControl(routeDeps, statePath);
  teardown.push("control socket", () => control.close());
  const publicHost = publicUrl === undefined ? {} : { publicHost: new URL(publicUrl).hostname };
  const server = await adapters.startServer({ ...routeDeps, host, port, ...publicHost, ...(token === undefined ? {} : { token }) });
  teardown.push("server", () => server.close());
  return server.url;
}

interface RunningParts {
  readonly deps: DaemonDeps;
  readonly store: OpenedStore;
  readonly silences: ActiveSilences;
  readonly events: DaemonEvents;
  readonly delivering: Delivering;
  readonly enriching: Enriching;
  readonly polling: Polling;
  readonly reloader: Reloader;
}

/** What goes on beside polling and delivering. */
function startHousekeeping(
  initial: Config,
  { deps, store, silences, events, delivering, enriching, polling, reloader }: RunningParts,
  teardown: Teardown,
): void {
  const { clock, hash, log, http, files } = deps;
  const { config, delivery } = delivering;
  const { engine } = polling;
  teardown.push("pruning", startPruning({ store, clock, log, retentionMs: () => config().state.retentionMs, polls: () => engine.polls }));
  teardown.push("clock watch", watchClock({ clock, log, store, silences, engine, pump: () => delivery().pump }));
  void delivering.check();
  void warnOfStranded(initial, { store, log });
  void store.problems.then((problems) => {
    if (problems.length > 0) log.error("state is damaged", { problems, hint: "stop the daemon and run chirpwatch state restore" });
  });
  teardown.push("levels", startLevels({ ...delivering, store, clock, hash, log, wakeDelivery: () => events.emit("committed") }));
  teardown.push("enriching", enriching.start());
  const isAlive = () => polling.storeWatch.trouble === undefined && clock.monotonic() - engine.loop.lastTurnMs < ALIVE_WITHIN_MS;
  const { heartbeat } = initial.ops;
  if (heartbeat !== undefined) teardown.push("heartbeat", startHeartbeat(heartbeat, { http, clock, log, isAlive }));
  const onChange = async () => void (await reloader.reload("file change"));
  if (deps.watchFiles) teardown.push("file watch", watchFiles({ files, clock, hash, paths: () => config().files, onChange }));
}
