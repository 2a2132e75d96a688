/**
 * The Meter port: cheap counters in memory, filled while the daemon works, read when someone scrapes. Owns the numbers; how they are
 * written down is in exposition.ts. Nothing is computed per observation beyond finding its cell.
 */
import { METRICS, type Meter, type MetricLabels, type MetricName, type MetricSpec } from "../model/meter.ts";
import { type Cell, renderExposition, type Series } from "./exposition.ts";

export interface ReadableMeter extends Meter {
  /** Prometheus text format 0.0.4, for `/metrics`. */
  render(): string;
  /** Forgets every series of a metric: before gauges are set anew, so that a sink that is gone leaves none behind. */
  clear(name: MetricName): void;
}

/** A meter whose numbers `render()` writes down. Counters without labels start at 0; gauges are absent until set. */
export function createMeter(): ReadableMeter {
  const metrics = new Map<MetricName, Series>();

  function cellOf(name: MetricName, labels: MetricLabels = {}): Cell {
    const spec: MetricSpec = METRICS[name];
    const labelValues = spec.labels.map((label) => labels[label] ?? "");
    const key = labelValues.join("\u0000");
    const series = seriesOf(metrics, name);
    const known = series.get(key);
    if (known !== undefined) return known;
    const buckets = spec.buckets === undefined ? [] : new Array<number>(spec.buckets.length + 1).fill(0);
    const cell: Cell = { labelValues, value: 0, buckets };
    series.set(key, cell);
    return cell;
  }

  for (const [name, spec] of Object.entries(METRICS) as [MetricName, MetricSpec][])
    if (spec.kind !== "gauge" && spec.labels.length === 0) cellOf(name);

  return {
    count(name, labels, by = 1) {
      if (by >= 0) cellOf(name, labels).value += by;
    },
    set(name, value, labels) {
      if (!Number.isNaN(value)) cellOf(name, labels).value = value;
    },
    observe(name, value, labels) {
      if (Number.isNaN(value)) return;
      const cell = cellOf(name, labels);
      const index = bucketOf(METRICS[name], value);
      cell.value += value;
      cell.buckets[index] = (cell.buckets[index] ?? 0) + 1;
    },
    clear: (name) => void metrics.delete(name),
    render: () => renderExposition(metrics),
  };
}

function seriesOf(metrics: Map<MetricName, Series>, name: MetricName): Series {
  const known = metrics.get(name);
  if (known !== undefined) return known;
  const series: Series = new Map();
  metrics.set(name, series);
  return series;
}

/** Bounds are inclusive, as `le` says. */
function bucketOf(spec: MetricSpec, value: number): number {
  const bounds = spec.buckets ?? [];
  const index = bounds.findIndex((bound) => value <= bound);
  return index < 0 ? bounds.length : index;
}
