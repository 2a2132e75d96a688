/**
 * Every default of the configuration language, as one would write it in YAML. The schemas, the JSON
 * Schema and the reference page read them from here.
 */
export const DEFAULTS = {
  api: {
    base_url: "sandbox",
    key: "sandbox",
    timeout: "30s",
    rate_limit: { count: 20, interval: "1s" },
    quota: { reset_day: 1, timezone: "UTC", reserve: "10%", on_exhausted: "degrade" },
  },
  price: { currency: "$" },
  state: { path: "data/chirpwatch.db", retention: "90d", must_exist: false },
  archive: { keep: "14d", max_size: "256MB" },
  server: { listen: "127.0.0.1:9464" },
  heartbeat: { interval: "1m" },
  links: { host: "https://x.com" },
  time_interval: { timezone: "UTC" },
  watch: {
    schedule: "@every 5m",
    timezone: "UTC",
    priority: "normal",
    first_run: "baseline",
    max_pages: 10,
    /** If no `max_age` is written, twice the schedule's interval applies if that is longer. */
    max_age: "24h",
    overlap: "15m",
    enabled: true,
    on_return: "digest",
  },
  enrich: { timeout: "3s", concurrency: 4, cache: "0s", on_error: "pass", max_hold: "10m" },
  route: { group_by: [], group_wait: "0s", group_interval: "0s", continue: false },
  throttle: { on_exceed: "digest", digest_interval: "2m" },
  digest: { max_items: 100, when_empty: "nothing", timezone: "UTC" },
  report: { by: ["lang"], top: 5, timezone: "UTC" },
  dedupe: { window: "24h" },
  chatSink: { retry_for: "24h", throttle: { limit: 30, interval: "10m", on_exceed: "digest" } },
  sink: { retry_for: "76h" },
} as const;
