/** Renders docs/metrics.md: every metric, and the alert rules that come with the product. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { METRICS, type MetricSpec } from "../../src/model/meter.ts";
import { code, GENERATED, page, sentence, table } from "./markdown.ts";

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string };
}

function readAlerts(root: string): readonly Alert[] {
  const text = readFileSync(join(root, "config/alerts.prometheus.yaml"), "utf8");
  const { groups } = parse(text) as {
    readonly groups: readonly { readonly rules: readonly Alert[] }[];
  };
  return groups.flatMap(({ rules }) => rules);
}

/** Replaces the placeholders of a summary by names, because they have values only in an alert. */
const summaryOf = (alert: Alert): string =>
  sentence(
    alert.annotations.summary
      .replace(/\{\{\s*\$labels\.(\w+)[^}]*\}\}/g, "`<$1>`")
      .replace(/\{\{[^}]*\}\}/g, "…"),
  );

export const metricsPage = (root: string): string =>
  page(
    GENERATED,
    "# Metrics",
    "`/metrics` of the daemon serves Prometheus text. The most important metric is `chirpwatch_delivery_delay_seconds`: from an item's own time to its delivery. `chirpwatch_added_delay_seconds` is the part of it that chirpwatch itself adds after the item was found.",
    "A watch has at most 12 series. Series of a watch or key that is no longer configured are dropped at the next scrape. Series of a removed sink are dropped at the first scrape after nothing waits for it.",
    table(
      ["Metric", "Kind", "Labels", "Meaning"],
      (Object.entries(METRICS) as [string, MetricSpec][]).map(([name, { kind, labels, help }]) => [
        code(name),
        kind,
        labels.map(code).join(" "),
        sentence(help),
      ]),
    ),
    "Figures of the process come from Prometheus' client for Node.js: `process_cpu_seconds_total`, `process_resident_memory_bytes`, `process_open_fds`, `nodejs_eventloop_lag_p99_seconds`, `nodejs_gc_duration_seconds` and more of `process_` and `nodejs_`. The client is loaded at the first scrape.",
    "## Alerts",
    "Load `config/alerts.prometheus.yaml` as a rule file. `page` needs someone now, `ticket` someone this week. `config/grafana-dashboard.json` shows the same metrics.",
    table(
      ["Alert", "Severity", "After", "Summary"],
      readAlerts(root).map((alert) => [
        code(alert.alert),
        alert.labels.severity,
        alert.for ?? "",
        summaryOf(alert),
      ]),
    ),
  );
