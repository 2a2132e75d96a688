/**
 * Metrics as a port, and the table of every metric the daemon has. Names start with `chirpwatch_`;
 * server/ renders them.
 */

export interface MetricSpec {
  readonly kind: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds in the metric's own unit, for histograms only. */
  readonly buckets?: readonly number[];
}

const seconds = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3600, 21600,
] as const;

export const METRICS = {
  chirpwatch_build_info: {
    kind: "gauge",
    help: "Always 1; the version of chirpwatch that runs.",
    labels: ["version"],
  },
  chirpwatch_delivery_delay_seconds: {
    kind: "histogram",
    help: "Time from an item's own created_at to its delivery.",
    labels: ["sink"],
    buckets: seconds,
  },
  chirpwatch_detect_delay_seconds: {
    kind: "histogram",
    help: "Time from an item's own created_at to its event, by watch type.",
    labels: ["type"],
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
  chirpwatch_polls_total: {
    kind: "counter",
    help: "Polls, by watch type and outcome.",
    labels: ["type", "outcome"],
  },
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
  chirpwatch_watch_last_success_timestamp_seconds: {
    kind: "gauge",
    help: "Time of the last successful poll of a watch, in Unix seconds; absent before the first one, and while the watch is paused.",
    labels: ["watch"],
  },
  chirpwatch_watch_slow_down_factor: {
    kind: "gauge",
    help: "Factor by which the quota lengthens a watch's time between polls; infinite while the quota is spent; absent while nothing slows it down.",
    labels: ["watch"],
  },
  chirpwatch_watch_next_poll_timestamp_seconds: {
    kind: "gauge",
    help: "Time of the next poll of a watch that the quota slows down, in Unix seconds; absent while nothing slows it down.",
    labels: ["watch"],
  },
  chirpwatch_items_total: {
    kind: "counter",
    help: "Items seen for the first time, by watch and verdict.",
    labels: ["watch", "verdict"],
  },
  chirpwatch_events_total: {
    kind: "counter",
    help: "Events created, by watch and event type; the daemon's own events have an empty watch.",
    labels: ["watch", "event"],
  },
  chirpwatch_enrichments_total: {
    kind: "counter",
    help: "Questions to the endpoints and programs of `enrich`, by watch and result (ok, failed; cached: answered from the cache).",
    labels: ["watch", "result"],
  },
  chirpwatch_enrichment_duration_seconds: {
    kind: "histogram",
    help: "Duration of questions about events.",
    labels: ["watch"],
    buckets: seconds,
  },
  chirpwatch_deliveries_total: {
    kind: "counter",
    help: "Messages, by sink and outcome (sent, retried, dead).",
    labels: ["sink", "outcome"],
  },
  chirpwatch_sink_errors_total: {
    kind: "counter",
    help: "Failed attempts to deliver, by sink and class: message (this message is refused for good), destination (no message can be posted there), rate_limited, transient (everything else).",
    labels: ["sink", "class"],
  },
  chirpwatch_dead_letters_total: {
    kind: "counter",
    help: "Messages given up for good, by sink.",
    labels: ["sink"],
  },
  chirpwatch_dead_letters_unacknowledged: {
    kind: "gauge",
    help: "Messages given up that were neither acknowledged nor sent again, by sink.",
    labels: ["sink"],
  },
  chirpwatch_outbox_rows: {
    kind: "gauge",
    help: "Waiting deliveries, by sink.",
    labels: ["sink"],
  },
  chirpwatch_outbox_oldest_seconds: {
    kind: "gauge",
    help: "Age of the oldest waiting delivery, by sink.",
    labels: ["sink"],
  },
  chirpwatch_sink_info: {
    kind: "gauge",
    help: "1 for every sink, with its type and where it posts: a channel, or host and fingerprint of an address.",
    labels: ["sink", "type", "place"],
  },
  chirpwatch_crossposts_total: {
    kind: "counter",
    help: "Attempts to publish messages to followers, by sink and outcome (published, retried, not_published).",
    labels: ["sink", "outcome"],
  },
  chirpwatch_edits_total: {
    kind: "counter",
    help: "Edits of sent messages, by sink and outcome (edited, unchanged, retried, dropped).",
    labels: ["sink", "outcome"],
  },
  chirpwatch_breaker_open: {
    kind: "gauge",
    help: "1 while a sink's breaker is open.",
    labels: ["sink"],
  },
  chirpwatch_gaps: {
    kind: "gauge",
    help: "Gaps in the polled range that are not filled yet.",
    labels: [],
  },
  chirpwatch_quota_limit: {
    kind: "gauge",
    help: "Requests that the period allows; absent while unknown.",
    labels: [],
  },
  chirpwatch_quota_line: {
    kind: "gauge",
    help: "The soft limit, at which scheduled polls stop: the limit without the reserve; absent while unknown.",
    labels: [],
  },
  chirpwatch_quota_period_end_timestamp_seconds: {
    kind: "gauge",
    help: "When the quota period ends, in Unix seconds.",
    labels: [],
  },
  chirpwatch_quota_spent: {
    kind: "gauge",
    help: "Requests sent in the period so far, according to the ledger.",
    labels: [],
  },
  chirpwatch_quota_forecast: {
    kind: "gauge",
    help: "Requests that the schedules would take in the whole period, without a slow-down.",
    labels: [],
  },
  chirpwatch_quota_stretch: {
    kind: "gauge",
    help: "Factor by which polls of a priority are slowed down while the quota is short; 1 when it is not.",
    labels: ["priority"],
  },
  chirpwatch_quota_drift_requests: {
    kind: "gauge",
    help: "Requests in the period that the service counted beyond the ledger, by key; below 0 when it counted fewer.",
    labels: ["key"],
  },
  chirpwatch_key_up: {
    kind: "gauge",
    help: "1 while a key may be used, 0 while it is suspended; absent for a key that was never refused.",
    labels: ["key"],
  },
  chirpwatch_upstream_up: { kind: "gauge", help: "1 while the data service answers.", labels: [] },
  chirpwatch_watches: {
    kind: "gauge",
    help: "Watches, by state (active, paused, misconfigured).",
    labels: ["state"],
  },
  chirpwatch_targets_unavailable: {
    kind: "gauge",
    help: "Targets that cannot be read at the moment.",
    labels: [],
  },
  chirpwatch_replicas: {
    kind: "gauge",
    help: "Daemons that share the state. Each of them reports the same number: use max. Only on Postgres.",
    labels: [],
  },
  chirpwatch_state_bytes: {
    kind: "gauge",
    help: "Size of the state on disk, its write-ahead log included.",
    labels: [],
  },
  chirpwatch_config_hash: {
    kind: "gauge",
    help: "First 48 bits of a hash of everything that the active configuration was read from.",
    labels: [],
  },
  chirpwatch_config_last_reload_successful: {
    kind: "gauge",
    help: "1 while the active configuration is the one in the files, 0 after a reload was refused.",
    labels: [],
  },
  chirpwatch_config_last_reload_success_timestamp_seconds: {
    kind: "gauge",
    help: "When the active configuration was loaded, or found unchanged by a reload, in Unix seconds.",
    labels: [],
  },
  chirpwatch_reloads_total: {
    kind: "counter",
    help: "Configuration reloads, by outcome.",
    labels: ["outcome"],
  },
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
