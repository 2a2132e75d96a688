/**
 * Answers a scrape of `/metrics`: sets the gauges that are read on demand, and drops the series of
 * watches, sinks and keys that are no longer configured.
 */
import type { Config } from "../../config/config.ts";
import type { Engine } from "../../engine/engine.ts";
import type { QuotaMonitor } from "../../engine/quota/quota-monitor.ts";
import type { KeyQuota } from "../../engine/quota/total-quota.ts";
import type { Clock } from "../../model/clock.ts";
import type { MetricName } from "../../model/meter.ts";
import type { WatchState } from "../../model/watch-store.ts";
import type { ReadableMeter } from "../../server/metrics/meter.ts";
import type { ConfigView } from "../../server/schema/status-view.ts";
import type { OpenedStore } from "../../state/open.ts";
import { placeOfSink } from "../alerts/create-sink.ts";
import { countDead } from "../alerts/dead-letters.ts";

export interface ScrapeDeps {
  readonly deps: { readonly version: string };
  readonly store: Pick<
    OpenedStore,
    "sizeBytes" | "membership" | "replicas" | "listWatches" | "outboxStats" | "groupDead"
  >;
  readonly engine: Engine;
  readonly meter: ReadableMeter;
  readonly quotaMonitor: QuotaMonitor;
  readonly keyQuotas: () => readonly KeyQuota[];
  readonly clock: Clock;
  readonly config: () => Config;
  readonly lastRefusal: () => ConfigView["failed_reload"];
  readonly loadedAtMs: () => number;
}

export async function renderMetrics(parts: ScrapeDeps): Promise<string> {
  const { config, keyQuotas, meter } = parts;
  const watches = new Set(config().watches.flatMap(({ id, enabled }) => (enabled ? [id] : [])));
  setProcess(parts);
  if (parts.store.membership !== undefined)
    parts.meter.set("chirpwatch_replicas", (await parts.store.replicas()).length);
  await setWatches(parts, watches);
  const waiting = await setSinks(parts);
  const sinks = new Set([...config().sinks.map(({ name }) => name), ...waiting]);
  return meter.render({
    watch: watches,
    sink: sinks,
    key: new Set(keyQuotas().map(({ name }) => name)),
  });
}

function setProcess({
  deps,
  store,
  engine,
  meter,
  quotaMonitor,
  config,
  lastRefusal,
  loadedAtMs,
}: ScrapeDeps): void {
  meter.set("chirpwatch_build_info", 1, { version: deps.version });
  meter.set("chirpwatch_state_bytes", store.sizeBytes());
  meter.set("chirpwatch_poll_overdue_seconds", engine.loop.overdueMs() / 1_000);
  meter.set(
    "chirpwatch_quota_period_end_timestamp_seconds",
    quotaMonitor.status.period.endMs / 1_000,
  );
  meter.set("chirpwatch_config_hash", firstBits(config().hash));
  meter.set("chirpwatch_config_last_reload_successful", lastRefusal() === null ? 1 : 0);
  meter.set("chirpwatch_config_last_reload_success_timestamp_seconds", loadedAtMs() / 1_000);
}

/**
 * Returns the first six bytes of the hash as a number, because a double holds six bytes exactly.
 */
const firstBits = (hash: string): number => Buffer.from(hash, "base64url").readUIntBE(0, 6);

const WATCH_STATES = ["active", "paused", "misconfigured"] as const;

async function setWatches(
  { store, engine, meter, config }: ScrapeDeps,
  inUse: ReadonlySet<string>,
): Promise<void> {
  const states = (await store.listWatches()).filter(({ id }) => inUse.has(id));
  for (const state of WATCH_STATES)
    meter.set("chirpwatch_watches", states.filter((one) => stateOf(one) === state).length, {
      state,
    });
  const targets = states.flatMap((watch) => watch.targets);
  meter.set(
    "chirpwatch_targets_unavailable",
    targets.filter((target) => target.status === "unavailable").length,
  );
  meter.set("chirpwatch_gaps", await engine.countOwnGaps());
  await setSlowed(engine, meter, config());
  meter.clear("chirpwatch_watch_last_success_timestamp_seconds");
  for (const { id, paused } of states) {
    const atMs = paused ? undefined : engine.lastSuccessAt(id);
    if (atMs !== undefined)
      meter.set("chirpwatch_watch_last_success_timestamp_seconds", atMs / 1_000, { watch: id });
  }
}

/**
 * Sets the series of slowed watches only. Ten thousand watches that are not slowed down need none.
 */
async function setSlowed(engine: Engine, meter: ReadableMeter, { watches }: Config): Promise<void> {
  meter.clear("chirpwatch_watch_slow_down_factor");
  meter.clear("chirpwatch_watch_next_poll_timestamp_seconds");
  for (const [watch, { factor, nextPollMs }] of await engine.slowedWatches(
    watches.filter(({ enabled }) => enabled),
  )) {
    meter.set("chirpwatch_watch_slow_down_factor", factor ?? Number.POSITIVE_INFINITY, { watch });
    if (nextPollMs !== undefined)
      meter.set("chirpwatch_watch_next_poll_timestamp_seconds", nextPollMs / 1_000, { watch });
  }
}

function stateOf({ paused, targets }: WatchState): (typeof WATCH_STATES)[number] {
  if (paused) return "paused";
  return targets.some(({ status }) => status === "misconfigured") ? "misconfigured" : "active";
}

const SINK_GAUGES: readonly MetricName[] = [
  "chirpwatch_sink_info",
  "chirpwatch_dead_letters_unacknowledged",
  "chirpwatch_outbox_rows",
  "chirpwatch_outbox_oldest_seconds",
];

/**
 * Sets the gauges of sinks. Returns the sinks with waiting deliveries or dead letters; some of them
 * may no longer be configured.
 */
async function setSinks({ store, meter, clock, config }: ScrapeDeps): Promise<readonly string[]> {
  for (const name of SINK_GAUGES) meter.clear(name);
  const dead = await countDead(store);
  for (const name of new Set([...config().sinks.map((sink) => sink.name), ...dead.keys()]))
    meter.set("chirpwatch_dead_letters_unacknowledged", dead.get(name) ?? 0, { sink: name });
  for (const sink of config().sinks) {
    meter.set("chirpwatch_sink_info", 1, {
      sink: sink.name,
      type: sink.type,
      place: placeOfSink(sink),
    });
    meter.count("chirpwatch_dead_letters_total", { sink: sink.name }, 0);
  }
  const stats = await store.outboxStats();
  for (const { sink, waiting, oldestAtMs } of stats) {
    meter.set("chirpwatch_outbox_rows", waiting, { sink });
    meter.set(
      "chirpwatch_outbox_oldest_seconds",
      oldestAtMs === null ? 0 : Math.max(0, clock.now() - oldestAtMs) / 1_000,
      { sink },
    );
  }
  return [...dead.keys(), ...stats.flatMap(({ sink, waiting }) => (waiting > 0 ? [sink] : []))];
}
