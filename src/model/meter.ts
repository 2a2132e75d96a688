/** Metrics as a port, and the table of every metric the daemon has. Names start with `chirpwatch_`; server/ renders them. */

export interface MetricSpec {
  readonly kind: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds in the metric's own unit; histograms only. */
  readonly buckets?: readonly number[];
}

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3600, 21600] as const;

export const METRICS = {
  chirpwatch_delivery_delay_seconds: {
    kind: "histogram",
    help: "Time from an item's own created_at to its delivery.",
    labels: ["sink"],
    buckets: seconds,
  },
  chirpwatch_detect_delay_seconds: {
    kind: "histogram",
    help: "Time from an item's own created_at to its event.",
    labels: ["watch"],
    buckets: seconds,
  },
  chirpwatch_added_delay_seconds: {
    kind: "histogram",
    help: "Time from an event's commit to its delivery.",
    labels: ["sink"],
    buckets: seconds,
  },
  chirpwatch_requests_total: {
    kind: "counter",
    help: "Requests sent to the data service, by endpoint and outcome.",
    labels: ["endpoint", "outcome"],
  },
  chirpwatch_request_duration_seconds: {
    kind: "histogram",
    help: "Duration of requests to the data service.",
    labels: ["endpoint"],
    buckets: seconds,
  },
  chirpwatch_polls_total: { kind: "counter", help: "Polls, by watch type and outcome.", labels: ["type", "outcome"] },
  chirpwatch_poll_lateness_seconds: {
    kind: "histogram",
    help: "Time between a poll's due time and its start.",
    labels: [],
    buckets: seconds,
  },
  chirpwatch_poll_overdue_seconds: {
    kind: "gauge",
    help: "How long the longest waiting poll has been due; 0 when none waits.",
    labels: [],
  },
  chirpwatch_items_total: { kind: "counter", help: "Items seen for the first time, by watch and verdict.", labels: ["watch", "verdict"] },
  chirpwatch_events_total: { kind: "counter", help: "Events born, by watch and event type.", labels: ["watch", "event"] },
  chirpwatch_deliveries_total: {
    kind: "counter",
    help: "Messages, by sink and outcome (sent, retried, dead).",
    labels: ["sink", "outcome"],
  },
  chirpwatch_dead_letters_total: { kind: "counter", help: "Messages given up for good, by sink.", labels: ["sink"] },
  chirpwatch_outbox_rows: { kind: "gauge", help: "Deliveries that wait, by sink.", labels: ["sink"] },
  chirpwatch_outbox_oldest_seconds: { kind: "gauge", help: "Age of the oldest waiting delivery, by sink.", labels: ["sink"] },
  chirpwatch_breaker_open: { kind: "gauge", help: "1 while a sink's breaker is open.", labels: ["sink"] },
  chirpwatch_gaps: { kind: "gauge", help: "Holes in covered history that wait to be filled.", labels: [] },
  chirpwatch_quota_limit: { kind: "gauge", help: "Requests the period allows; absent while unknown.", labels: [] },
  chirpwatch_quota_line: {
    kind: "gauge",
    help: "Where scheduled polls stop: the limit without the reserve; absent while unknown.",
    labels: [],
  },
  chirpwatch_quota_spent: { kind: "gauge", help: "Requests of the period so far, by the ledger.", labels: [] },
  chirpwatch_quota_forecast: {
    kind: "gauge",
    help: "Requests the whole period will take as the schedules ask, stretched by nothing.",
    labels: [],
  },
  chirpwatch_quota_stretch: {
    kind: "gauge",
    help: "How many times slower polls of a priority go while the quota is short; 1 when it is not.",
    labels: ["priority"],
  },
  chirpwatch_quota_drift_requests: {
    kind: "gauge",
    help: "Requests of the period the service counted beyond the ledger, by key; below 0 when it counted fewer.",
    labels: ["key"],
  },
  chirpwatch_key_up: {
    kind: "gauge",
    help: "1 while a key may pay, 0 while it is set aside; absent for one never refused.",
    labels: ["key"],
  },
  chirpwatch_upstream_up: { kind: "gauge", help: "1 while the data service answers.", labels: [] },
  chirpwatch_watches: { kind: "gauge", help: "Watches, by state (active, paused, misconfigured).", labels: ["state"] },
  chirpwatch_targets_unavailable: { kind: "gauge", help: "Targets that cannot be read now.", labels: [] },
  chirpwatch_reloads_total: { kind: "counter", help: "Configuration reloads, by outcome.", labels: ["outcome"] },
} as const satisfies Record<string, MetricSpec>;

export type MetricName = keyof typeof METRICS;
export type MetricLabels = Readonly<Record<string, string>>;

export interface Meter {
  /** Adds to a counter. */
  count(name: MetricName, labels?: MetricLabels, by?: number): void;
  /** Sets a gauge. */
  set(name: MetricName, value: number, labels?: MetricLabels): void;
  /** Adds one observation to a histogram. */
  observe(name: MetricName, value: number, labels?: MetricLabels): void;
}
