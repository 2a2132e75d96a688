/**
 * The Meter port over prom-client, which costs 70 ms and 12 MB to load: the first scrape loads it.
 * Until then recordings wait in a list. A daemon that nobody scrapes loads it when that list is
 * full, so that its memory stays bounded.
 */
import type { Meter, MetricName } from "../../model/meter.ts";
import type { LabelsInUse, PromMetrics } from "./prom-metrics.ts";

export interface ReadableMeter extends Meter {
  /**
   * Prometheus text format 0.0.4, for `/metrics`: the daemon's own metrics, without series of
   * labels that are out of use; then those of the process.
   */
  render(inUse?: LabelsInUse): Promise<string>;
  /**
   * Drops every series of a metric: before gauges are set anew, so that a sink that is gone leaves
   * none behind.
   */
  clear(name: MetricName): void;
}

type Recording = (metrics: PromMetrics) => void;

/** About 2 MB. */
const MAX_WAITING = 10_000;

/** Counters and histograms without labels start at 0; gauges are absent until set. */
export function createMeter(): ReadableMeter {
  let waiting: Recording[] = [];
  let loaded: PromMetrics | undefined;
  let loading: Promise<PromMetrics> | undefined;

  const loadOnce = async (): Promise<PromMetrics> => {
    const { createPromMetrics } = await import("./prom-metrics.ts");
    const metrics = createPromMetrics();
    for (const recording of waiting.splice(0)) recording(metrics);
    loaded = metrics;
    return metrics;
  };

  const load = (): Promise<PromMetrics> => {
    loading ??= loadOnce().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };

  const record = (recording: Recording): void => {
    if (loaded !== undefined) return recording(loaded);
    waiting.push(recording);
    // A scrape reports what is wrong with the installation; figures are no reason to end a daemon.
    if (waiting.length >= MAX_WAITING) load().catch(() => void (waiting = []));
  };

  return {
    count(name, labels, by = 1) {
      if (by >= 0) record((metrics) => metrics.count(name, labels, by));
    },
    set(name, value, labels) {
      if (!Number.isNaN(value)) record((metrics) => metrics.set(name, value, labels));
    },
    observe(name, value, labels) {
      if (!Number.isNaN(value)) record((metrics) => metrics.observe(name, value, labels));
    },
    clear: (name) => record((metrics) => metrics.clear(name)),
    async render(inUse = {}) {
      const metrics = await load();
      await metrics.retain(inUse);
      return metrics.text();
    },
  };
}
