/**
 * The composition root: makes every concrete thing of a daemon in a straight line, each with its own named teardown, drained last in first
 * out at a stop and when the start fails. Two lifetimes: what lives as long as the process, and `delivery` and watches, swapped at a reload.
 */
import { createUpstream } from "../api/upstream.ts";
import { createUpstreamPacer } from "../budget/upstream-pacer.ts";
import type { Config } from "../config/config.ts";
import { createEngine, type Engine } from "../engine/engine.ts";
import { startHeartbeat } from "../engine/heartbeat.ts";
import { createNotices } from "../engine/notices.ts";
import { createPollRunner } from "../engine/poll-runner.ts";
import { createProfiles } from "../engine/profiles.ts";
import { createQuotaWatch } from "../engine/quota-watch.ts";
import { createRequestGate } from "../engine/request-gate.ts";
import { createServiceClock } from "../engine/service-clock.ts";
import { createStoreWatch } from "../engine/store-watch.ts";
import { createUpstreamWatch } from "../engine/upstream-watch.ts";
import { errorText } from "../model/errors.ts";
import { createTimetable } from "../schedule/timetable.ts";
import { startControl } from "../server/control-socket.ts";
import { createMeter } from "../server/meter.ts";
import { startServer } from "../server/server.ts";
import type { SinkDeps } from "../sinks/sink-type.ts";
import { openStore } from "../state/open.ts";
import { createActions } from "./actions.ts";
import type { DaemonDeps } from "./daemon-deps.ts";
import { checkSinks, createDelivery, type Delivery, type DeliveryDeps } from "./delivery.ts";
import { createDirectTeller } from "./direct-teller.ts";
import { createKeyHolder } from "./key-holder.ts";
import { claimOrigin } from "./origin.ts";
import { registerWatches } from "./registration.ts";
import { startPruning } from "./pruning.ts";
import { createStartReport } from "./start-report.ts";
import { createTeardown } from "./teardown.ts";
import { createViews } from "./views.ts";
import { watchFiles } from "./watch-files.ts";

export interface Daemon {
  /** Status page and API. */
  readonly url: string;
  readonly engine: Engine;
  reload(): ReturnType<ReturnType<typeof createActions>["reload"]>;
  /** Stops in reverse order of the start; deliveries under way may finish. */
  stop(): Promise<void>;
}

/** Docker kills ten seconds after SIGTERM; what is under way gets eight. */
const GRACE_MS = 8_000;
/** A reload replaces the delivering half; its messages under way get less. */
const SWAP_GRACE_MS = 5_000;

/** @throws ExitError, after everything already started was stopped. */
export async function startDaemon(initial: Config, deps: DaemonDeps): Promise<Daemon> {
  const teardown = createTeardown(deps.log);
  try {
    return await build(initial, deps, teardown);
  } catch (error) {
    await teardown.drain();
    throw error;
  }
}

async function build(initial: Config, deps: DaemonDeps, teardown: ReturnType<typeof createTeardown>): Promise<Daemon> {
  const { clock, random, hash, log, http, files } = deps;
  let config = initial;
  const startedAtMs = clock.now();

  const store = await openStore({ path: config.state.path, clock, random, log, mustExist: config.state.mustExist });
  teardown.push("state", () => store.close());
  if (store.created) log.info("state created", { path: store.path });
  await claimOrigin(store, config);

  const meter = createMeter();
  const timetable = createTimetable();
  const serviceClock = createServiceClock(clock);
  const pacer = createUpstreamPacer(random);
  const keys = createKeyHolder(config.api, files, deps.addSecret);
  const upstream = createUpstream({ http, baseUrl: deps.sandboxUrl ?? config.api.baseUrl, key: keys.key, timeoutMs: config.api.timeoutMs });

  let delivery: Delivery;
  const wakeDelivery = () => delivery.pump.wake();
  const notices = createNotices({
    store,
    clock,
    random,
    hash,
    log,
    meter,
    wakeDelivery,
    route: (event, exceptSink, nowMs) => delivery.routeNotice(event, exceptSink, nowMs),
  });
  const sinkDeps = (): SinkDeps => ({ http, clock, log, write: deps.write, linksHost: config.linksHost });
  const deliveryDeps = (): DeliveryDeps => ({
    store,
    clock,
    random,
    log,
    meter,
    sinkDeps: sinkDeps(),
    onSinkFailing: ({ sink, reason, hint }) =>
      notices.tell({
        type: "sink.failing",
        subject: sink,
        severity: "critical",
        message: `${sink} does not take messages: ${reason}`,
        hint: hint || "Nothing is lost: the backlog goes out when it works again.",
        exceptSink: sink,
      }),
    onSinkRecovered: (sink) =>
      notices.tell({ type: "sink.recovered", subject: sink, severity: "info", message: `${sink} takes messages again.` }),
  });
  delivery = await createDelivery(config, deliveryDeps());
  teardown.push("delivery", () => delivery.stop(GRACE_MS));

  const storeWatch = createStoreWatch({
    store,
    clock,
    log,
    tellDirectly: createDirectTeller({ delivery: () => delivery, config: () => config, clock, random, log }),
    onRecovered: () => engine.hastenAll(),
  });
  teardown.push("store watch", () => storeWatch.stop());
  const quotaWatch = createQuotaWatch({
    ledger: store,
    clock,
    timetable,
    meter,
    log,
    notices,
    settings: () => ({ ...config.api.quota, monthly: config.api.quota.monthly }),
    polls: () => engine.polls,
  });
  const gate = createRequestGate({
    upstream,
    ledger: store,
    clock,
    serviceClock,
    pacer,
    meter,
    log,
    limits: () => ({ rate: config.api.rate, timeoutMs: config.api.timeoutMs, quota: { ...config.api.quota, monthly: quotaWatch.limit } }),
    renewKey: keys.renew,
    onOutcome: (error) => upstreamWatch.takeOutcome(error),
  });
  const askUsage = () =>
    gate.request({
      endpoint: "key-usage-info",
      params: {},
      source: "usage",
      watch: "",
      priority: "high",
      purpose: "command",
      billed: false,
    });
  const upstreamWatch = createUpstreamWatch({
    pacer,
    notices,
    notes: store,
    clock,
    log,
    meter,
    probe: () =>
      askUsage().then(
        (answer) => answer.record?.["remaining_requests"] !== 0,
        () => false,
      ),
    onBack: () => engine.hastenAll(),
  });
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
    wakeDelivery,
    route: ({ event, ownSinks }, nowMs) => delivery.routeOf(event, ownSinks, nowMs),
  });
  const report = createStartReport({
    store,
    clock,
    log,
    sinkText: (watch) => delivery.describe(watch),
    nextPollAt: (id) => engine.nextPollAt(id),
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
    onMissing: report.missing,
    onPolled(poll, outcome, error) {
      report.polled(poll, outcome);
      deps.onPolled?.(poll, outcome, error);
    },
  });

  const actions = createActions({
    deps,
    store,
    engine,
    notices,
    clock,
    hash,
    config: () => config,
    async swap(next) {
      const states = await registerWatches(next, store, hash, clock.now());
      const fresh = await createDelivery(next, deliveryDeps());
      const old = delivery;
      config = next;
      delivery = fresh;
      keys.set(next.api);
      // The old half lets go before the new one starts: one message is never in two hands.
      await old.stop(SWAP_GRACE_MS);
      await fresh.pump.start();
      await engine.setWatches(states);
      pacer.resume();
      report.started(states);
      meter.count("chirpwatch_reloads_total", { outcome: "ok" });
    },
    onRefused: () => meter.count("chirpwatch_reloads_total", { outcome: "refused" }),
  });
  const views = createViews({
    deps,
    store,
    engine,
    meter,
    quotaWatch,
    upstreamWatch,
    storeWatch,
    clock,
    startedAtMs,
    config: () => config,
    delivery: () => delivery,
    lastRefusal: actions.lastRefusal,
    loadedAtMs: actions.loadedAtMs,
  });
  const routeDeps = { clock, log, views, actions };
  const control = await startControl(routeDeps, store.path);
  teardown.push("control socket", () => control.close());
  const server = await startServer({
    ...routeDeps,
    host: config.server.host,
    port: config.server.port,
    ...(config.server.token === undefined ? {} : { token: config.server.token }),
  });
  teardown.push("server", () => server.close());
  log.info("status page is up", { url: server.url });

  const watches = await registerWatches(config, store, hash, clock.now());
  await delivery.pump.start();
  await upstreamWatch.start();
  teardown.push("upstream watch", () => upstreamWatch.stop());
  await engine.setWatches(watches);
  report.started(watches);
  quotaWatch.start();
  teardown.push("quota watch", () => quotaWatch.stop());
  teardown.push("pruning", startPruning({ store, clock, log, retentionMs: () => config.state.retentionMs }));
  engine.start();
  teardown.push("polling", () => engine.stop());
  // Free, and a limit to go by; an odd answer or none delays nothing.
  askUsage()
    .then((answer) => quotaWatch.learnRemaining(answer.record?.["remaining_requests"]))
    .catch((error: unknown) => log.warn("key usage is unknown", { error: errorText(error) }))
    .then(() => quotaWatch.refresh(engine.polls))
    .catch((error: unknown) => log.warn("quota could not be computed", { error: errorText(error) }));
  void checkSinks(delivery, sinkDeps());
  void store.problems.then((problems) => {
    if (problems.length > 0) log.error("state is damaged", { problems, hint: "stop the daemon and run chirpwatch state restore" });
  });
  const { heartbeat } = config.ops;
  const isAlive = () => storeWatch.trouble === undefined && clock.monotonic() - engine.loop.lastTurnMs < 120_000;
  if (heartbeat !== undefined) teardown.push("heartbeat", startHeartbeat(heartbeat, { http, clock, log, isAlive }));
  if (deps.watchFiles)
    teardown.push(
      "file watch",
      watchFiles({ files, clock, hash, paths: () => config.files, onChange: async () => void (await actions.reload()) }),
    );
  return { url: server.url, engine, reload: actions.reload, stop: () => teardown.drain() };
}
