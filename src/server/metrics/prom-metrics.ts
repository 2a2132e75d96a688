/**
 * Registers the table of metrics with prom-client, together with the metrics of the process. Loaded
 * late (meter.ts).
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { lazy } from "../../model/lazy.ts";
import { METRICS, type MetricLabels, type MetricName, type MetricSpec } from "../../model/meter.ts";

export interface PromMetrics {
  count(name: MetricName, labels: MetricLabels | undefined, by: number): void;
  set(name: MetricName, value: number, labels: MetricLabels | undefined): void;
  observe(name: MetricName, value: number, labels: MetricLabels | undefined): void;
  clear(name: MetricName): void;
  /** Drops series whose labels have values that are not in use. */
  retain(inUse: LabelsInUse): Promise<void>;
  text(): Promise<string>;
}

/** The values that are still configured, by label. The empty value is always in use. */
export type LabelsInUse = Readonly<Record<string, ReadonlySet<string>>>;

/**
 * Gauges with names of counters, about which Prometheus warns. The same figures exist by type,
 * without `_total`.
 */
const MISNAMED = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
];

/**
 * The metrics `process_…` and `nodejs_…`, under the names that dashboards for Node.js expect. One
 * registry serves all meters, because there is one process.
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

  /** prom-client starts a gauge without labels at 0, which would look like a measurement. */
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
    // The buckets of a histogram have a label of their own, which is ignored.
    const { le: _le, ...own } = labels as MetricLabels & { readonly le?: string };
    const isInUse = guarded.every(
      (label) => own[label] === "" || inUse[label]?.has(own[label] ?? "") === true,
    );
    if (!isInUse) metric.remove(own);
  }
}
