/** The daemon as its server reads it: health, status, events, explanations, metrics. Reads only. */
import type { Config } from "../config/config.ts";
import { formatIssue } from "../config/report.ts";
import type { Engine } from "../engine/engine.ts";
import type { KeyWatch } from "../engine/key-watch.ts";
import type { QuotaAudit } from "../engine/quota-audit.ts";
import type { KeyQuota, QuotaWatch } from "../engine/quota-watch.ts";
import type { StoreWatch } from "../engine/store-watch.ts";
import type { UpstreamWatch } from "../engine/upstream-watch.ts";
import { type Clock, isoTime } from "../model/clock.ts";
import { errorText } from "../model/errors.ts";
import type { SourceState } from "../model/poll-store.ts";
import type { Store } from "../model/store.ts";
import type { ReadableMeter } from "../server/meter.ts";
import type { BudgetView, ConfigView, DaemonState, Health, StatusView, Views, WatchView } from "../server/views.ts";
import type { DaemonDeps } from "./daemon-deps.ts";
import type { Delivery } from "./delivery.ts";
import { findItem } from "./find-item.ts";
import { budgetView, isQuotaSpent, type QuotaFacts, quotaView } from "./quota-view.ts";
import { reasonsOf, type Troubles } from "./reasons.ts";
import { eventLine, sinkViews, watchView } from "./status-view.ts";
import { strandedReasons } from "./stranded.ts";

export interface ViewsDeps {
  readonly deps: Pick<DaemonDeps, "version">;
  readonly store: Store;
  readonly engine: Engine;
  readonly meter: ReadableMeter;
  readonly quotaWatch: QuotaWatch;
  readonly quotaAudit: QuotaAudit;
  readonly keyWatch: KeyWatch;
  readonly keyQuotas: () => readonly KeyQuota[];
  readonly upstreamWatch: UpstreamWatch;
  readonly storeWatch: StoreWatch;
  readonly clock: Clock;
  readonly startedAtMs: number;
  readonly config: () => Config;
  readonly delivery: () => Delivery;
  readonly lastRefusal: () => ConfigView["failed_reload"];
  readonly loadedAtMs: () => number;
}

/** The poll loop turns at least every 30 s; four times that is standing still. */
const STALLED_MS = 120_000;
const RECENT_EVENTS = 20;

export function createViews(parts: ViewsDeps): Views {
  const { store, clock, engine } = parts;

  const health = async (): Promise<Health> => {
    if (clock.monotonic() - engine.loop.lastTurnMs > STALLED_MS) return { live: false, ready: false, reason: "the poll loop stands still" };
    if (parts.storeWatch.trouble !== undefined) return { live: false, ready: false, reason: "the state cannot be written" };
    const failure = await store.proveWritable(clock.now()).then(() => undefined, errorText);
    return failure === undefined
      ? { live: true, ready: true, reason: "" }
      : { live: false, ready: false, reason: "the state cannot be written" };
  };

  const sources = async (): Promise<ReadonlyMap<string, SourceState>> => {
    const states = await store.loadSources(engine.polls.map(({ key }) => key));
    return new Map(states.map((state) => [state.fingerprint, state]));
  };

  const watchViews = async (known: ReadonlyMap<string, SourceState>): Promise<readonly WatchView[]> => {
    const states = new Map((await store.listWatches()).map((state) => [state.id, state]));
    const { spentByWatch } = parts.quotaWatch.status;
    return parts
      .config()
      .watches.filter(({ enabled }) => enabled)
      .map((watch) => {
        const polls = engine.pollsOf(watch.id);
        const times = polls.map(({ key }) => known.get(key)?.lastPollAtMs ?? 0).filter((time) => time > 0);
        return watchView(watch, {
          state: states.get(watch.id),
          sink: parts.delivery().describe(watch),
          lastPollMs: times.length === 0 ? undefined : Math.max(...times),
          nextPollMs: engine.nextPollAt(watch.id),
          spent: spentByWatch.get(watch.id) ?? 0,
          problem: polls.map(({ key }) => engine.problemOf(key)).find((problem) => problem !== "") ?? "",
        });
      });
  };

  const status = async (): Promise<StatusView> => {
    const config = parts.config();
    const known = await sources();
    await parts.quotaWatch.refresh(engine.polls);
    const trouble = parts.upstreamWatch.trouble;
    const stats = await store.outboxStats();
    const sinks = sinkViews(config, await store.loadSinkHealth(), stats);
    const watches = await watchViews(known);
    const quota = quotaFacts(parts);
    const troubles = { store: parts.storeWatch.trouble, upstream: trouble?.reason, quota, sinks, watches, refusal: parts.lastRefusal() };
    const reasons = [...reasonsOf(troubles), ...strandedReasons(config, stats)];
    return {
      state: stateOf(troubles, parts.upstreamWatch.isStopped, reasons),
      reasons,
      version: parts.deps.version,
      started_at: isoTime(parts.startedAtMs),
      uptime_seconds: Math.round((clock.now() - parts.startedAtMs) / 1_000),
      upstream: {
        up: trouble === undefined,
        reason: trouble?.reason ?? "",
        since: trouble === undefined ? null : isoTime(trouble.sinceMs),
      },
      quota: quotaView(quota),
      gaps: await engine.openHoles(),
      watches,
      sinks,
      recent_events: (await store.recentEvents(RECENT_EVENTS)).map((event) => eventLine(event, config.linksHost)),
      config: {
        file: config.files[0] ?? "",
        loaded_at: isoTime(parts.loadedAtMs()),
        warnings: config.warnings.map(formatIssue),
        failed_reload: troubles.refusal,
      },
    };
  };

  const setGauges = async (): Promise<void> => {
    const { meter } = parts;
    meter.set("chirpwatch_poll_overdue_seconds", engine.loop.overdueMs() / 1_000);
    for (const { name } of parts.config().sinks) meter.count("chirpwatch_dead_letters_total", { sink: name }, 0);
    meter.set("chirpwatch_gaps", await engine.openHoles());
    meter.clear("chirpwatch_outbox_rows");
    meter.clear("chirpwatch_outbox_oldest_seconds");
    for (const { sink, waiting, oldestAtMs } of await store.outboxStats()) {
      meter.set("chirpwatch_outbox_rows", waiting, { sink });
      meter.set("chirpwatch_outbox_oldest_seconds", oldestAtMs === null ? 0 : Math.max(0, clock.now() - oldestAtMs) / 1_000, { sink });
    }
    const targets = (await store.listWatches()).flatMap((watch) => watch.targets);
    meter.set("chirpwatch_targets_unavailable", targets.filter((target) => target.status === "unavailable").length);
  };

  const budget = async (): Promise<BudgetView> => {
    await parts.quotaWatch.refresh(engine.polls);
    const { period, lines } = parts.quotaWatch.status;
    return budgetView(quotaFacts(parts), {
      lines,
      hours: await store.spentByHour(period.startMs),
      config: parts.config(),
      nowMs: clock.now(),
    });
  };

  return {
    health,
    status,
    budget,
    events: (limit) => store.recentEvents(limit),
    explain: (item) => findItem(store, item),
    async metrics() {
      await setGauges();
      return parts.meter.render();
    },
  };
}

function quotaFacts({ quotaWatch, quotaAudit, keyWatch, keyQuotas, config }: ViewsDeps): QuotaFacts {
  const { status } = quotaWatch;
  const aside = new Map(keyWatch.aside.map((one) => [one.key, one.because]));
  return {
    ...status,
    onExhausted: config().api.quota.onExhausted,
    monthly: config().api.quota.monthly,
    drift: quotaAudit.driftRequests,
    keys: keyQuotas().map(({ name, limit }) => ({ name, limit, spent: status.spentByKey.get(name) ?? 0, because: aside.get(name) })),
  };
}

function stateOf({ store, upstream, quota }: Troubles, isStopped: boolean, reasons: readonly string[]): DaemonState {
  if (store !== undefined || (upstream !== undefined && isStopped) || isQuotaSpent(quota)) return "paused";
  return reasons.length > 0 ? "degraded" : "running";
}
