/**
 * Implements the Meter port with prom-client, which takes 70 ms and 12 MB to load and is therefore
 * loaded by the first scrape. Until then recordings wait in a list. If nobody scrapes, it is loaded
 * when the list is full, so that memory stays bounded.
 */
import type { Meter, MetricName } from "../../model/meter.ts";
import type { LabelsInUse, PromMetrics } from "./prom-metrics.ts";

export interface ReadableMeter extends Meter {
  /**
   * Returns the daemon's own metrics in the Prometheus text format 0.0.4, without series for labels
   * that are no longer in use, followed by the metrics of the process.
   */
  render(inUse?: LabelsInUse): Promise<string>;
  /**
   * Drops every series of a metric. Called before gauges are set again, so that no series of a
   * removed sink stays.
   */
  clear(name: MetricName): void;
}

type Recording = (metrics: PromMetrics) => void;

/** How many recordings wait at most, which takes about 2 MB. */
const MAX_WAITING = 10_000;

/**
 * Creates the meter. Counters and histograms without labels start at 0; gauges are absent until
 * they are set.
 */
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
    // Errors are ignored here: a scrape reports what is wrong with the installation, and metrics
    // are no reason to end a daemon.
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
