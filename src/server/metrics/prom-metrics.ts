/**
 * Registers all metrics of the daemon with prom-client, together with the metrics of the process.
 * meter.ts loads this file only when it is needed.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { lazy } from "../../model/lazy.ts";
import { METRICS, type MetricLabels, type MetricName, type MetricSpec } from "../../model/meter.ts";

export interface PromMetrics {
  count(name: MetricName, labels: MetricLabels | undefined, by: number): void;
  set(name: MetricName, value: number, labels: MetricLabels | undefined): void;
  observe(name: MetricName, value: number, labels: MetricLabels | undefined): void;
  clear(name: MetricName): void;
  /** Removes series that have a label value that is no longer in use. */
  retain(inUse: LabelsInUse): Promise<void>;
  text(): Promise<string>;
}

/**
 * For each label, the values that are still configured. The empty value always counts as in use.
 */
export type LabelsInUse = Readonly<Record<string, ReadonlySet<string>>>;

/**
 * Gauges of prom-client whose names end in `_total` like those of counters, about which Prometheus
 * warns. The same figures also exist without `_total`, broken down by type.
 */
const MISNAMED = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
];

/**
 * The metrics `process_…` and `nodejs_…`, under the names that dashboards for Node.js expect. All
 * meters share one registry, because they all describe the same process.
 */
const processRegistry = lazy(() => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  return registry;
});

const NO_LABELS: MetricLabels = {};

export function createPromMetrics(): PromMetrics {
  const registry = new Registry();
  const counters = new Map<MetricName, Counter>();
  const gauges = new Map<MetricName, Gauge>();
  const histograms = new Map<MetricName, Histogram>();

  for (const [name, spec] of Object.entries(METRICS) as [MetricName, MetricSpec][]) {
    const options = { name, help: spec.help, labelNames: [...spec.labels], registers: [registry] };
    if (spec.kind === "counter") counters.set(name, new Counter(options));
    else if (spec.kind === "histogram")
      histograms.set(name, new Histogram({ ...options, buckets: [...(spec.buckets ?? [])] }));
    else gauges.set(name, new Gauge(options));
  }

  /**
   * Removes the series of a gauge. prom-client gives a gauge without labels the value 0, which
   * would look like a measurement.
   */
  const clear = (name: MetricName): void => {
    gauges.get(name)?.reset();
    gauges.get(name)?.remove(NO_LABELS);
  };
  for (const name of gauges.keys()) clear(name);

  return {
    count: (name, labels = NO_LABELS, by) => counters.get(name)?.inc(labels, by),
    set: (name, value, labels = NO_LABELS) => gauges.get(name)?.set(labels, value),
    observe: (name, value, labels = NO_LABELS) => histograms.get(name)?.observe(labels, value),
    clear,
    async retain(inUse) {
      for (const [name, { labels }] of Object.entries(METRICS) as [MetricName, MetricSpec][]) {
        const metric = counters.get(name) ?? gauges.get(name) ?? histograms.get(name);
        const guarded = labels.filter((label) => inUse[label] !== undefined);
        if (metric !== undefined && guarded.length > 0) await dropOthers(metric, guarded, inUse);
      }
    },
    text: async () => `${await registry.metrics()}${await processRegistry().metrics()}`,
  };
}

async function dropOthers(
  metric: Counter | Gauge | Histogram,
  guarded: readonly string[],
  inUse: LabelsInUse,
): Promise<void> {
  for (const { labels } of (await metric.get()).values) {
    // The bucket series of a histogram have the additional label `le`, which is ignored.
    const { le: _le, ...own } = labels as MetricLabels & { readonly le?: string };
    const isInUse = guarded.every(
      (label) => own[label] === "" || inUse[label]?.has(own[label] ?? "") === true,
    );
    if (!isInUse) metric.remove(own);
  }
}
