/** Writes a meter's numbers in the Prometheus text format 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats). Knows no metric by name. */
import { METRICS, type MetricName, type MetricSpec } from "../model/meter.ts";

/** One series. `buckets` counts observations per bound, not cumulated, the last one beyond every bound; empty unless a histogram. */
export interface Cell {
  readonly labelValues: readonly string[];
  value: number;
  readonly buckets: number[];
}

/** Series of one metric by their label values. */
export type Series = Map<string, Cell>;

/** In the order of the table; a metric without series is left out, as the format has no empty families. */
export function renderExposition(metrics: ReadonlyMap<MetricName, Series>): string {
  const lines: string[] = [];
  for (const [name, spec] of Object.entries(METRICS) as [MetricName, MetricSpec][]) {
    const series = metrics.get(name);
    if (series === undefined || series.size === 0) continue;
    lines.push(`# HELP ${name} ${escapeHelp(spec.help)}`, `# TYPE ${name} ${spec.kind}`);
    for (const cell of series.values()) {
      if (spec.kind === "histogram") pushHistogram(lines, name, spec, cell);
      else lines.push(`${name}${labelText(spec.labels, cell.labelValues)} ${numberText(cell.value)}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

function pushHistogram(lines: string[], name: string, spec: MetricSpec, cell: Cell): void {
  const labels = [...spec.labels, "le"];
  let upTo = 0;
  for (const [index, bound] of [...(spec.buckets ?? []), Number.POSITIVE_INFINITY].entries()) {
    upTo += cell.buckets[index] ?? 0;
    lines.push(`${name}_bucket${labelText(labels, [...cell.labelValues, numberText(bound)])} ${upTo}`);
  }
  const own = labelText(spec.labels, cell.labelValues);
  lines.push(`${name}_sum${own} ${numberText(cell.value)}`, `${name}_count${own} ${upTo}`);
}

function labelText(names: readonly string[], values: readonly string[]): string {
  if (names.length === 0) return "";
  return `{${names.map((name, index) => `${name}="${escapeLabel(values[index] ?? "")}"`).join(",")}}`;
}

/** JavaScript says Infinity where the format says +Inf. */
function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? "+Inf" : "-Inf";
}

const escapeHelp = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
const escapeLabel = (text: string): string => escapeHelp(text).replaceAll('"', '\\"');
