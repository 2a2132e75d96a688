/**
 * Implements the port `Meter` with prom-client. Loading prom-client takes 70 ms and 12 MB, so the
 * first scrape loads it. Until then, recordings are kept in a list. If the list is full before any
 * scrape, prom-client is loaded then, so that memory stays bounded.
 */
import type { Meter, MetricName } from "../../model/meter.ts";
import type { LabelsInUse, PromMetrics } from "./prom-metrics.ts";

export interface ReadableMeter extends Meter {
  /**
   * Returns the daemon's own metrics in the Prometheus text format 0.0.4, followed by the metrics
   * of the process. Series with label values that are not in `inUse` are left out.
   */
  render(inUse?: LabelsInUse): Promise<string>;
  /**
   * Removes every series of a metric. Called before gauges are set again, so that no series of a
   * removed sink remains.
   */
  clear(name: MetricName): void;
}

type Recording = (metrics: PromMetrics) => void;

/** The maximum number of recordings in the list, which take about 2 MB. */
const MAX_WAITING = 10_000;

/**
 * Creates the meter. Counters and histograms without labels begin at 0; gauges are absent until
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
    // A failure to load prom-client is ignored here, because it is no reason to end the daemon. The
    // next scrape reports the failure.
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
