/**
 * The schemas of the sections other than watches, sinks and routes: api, state, server, ops, links.
 */
import { z } from "zod";
import { sizeSetting } from "../../sinks/kind/size-setting.ts";
import { DEFAULTS } from "../defaults.ts";
import {
  baseUrl,
  duration,
  linksHost,
  listen,
  names,
  publicUrl,
  share,
  timezone,
  webAddress,
} from "./scalar-schemas.ts";

/**
 * The number of requests per second that the service answers on each of its price plans (api-v3.md,
 * limits).
 */
export const SERVICE_RATE_PER_SECOND = 20;

const { api, price, state, archive, server, heartbeat, links } = DEFAULTS;

const priceSchema = z.strictObject({
  per_request: z.number().min(0).describe("What one request costs."),
  currency: z
    .string()
    .min(1)
    .max(8)
    .prefault(price.currency)
    .describe("Written before the amount."),
});

const quotaSchema = z.strictObject({
  monthly: z
    .int()
    .min(1)
    .optional()
    .describe("Requests per month. Default: what the service says is left."),
  reset_day: z
    .int()
    .min(1)
    .max(28)
    .prefault(api.quota.reset_day)
    .describe("Day of the month on which a new quota period starts."),
  timezone: timezone().prefault(api.quota.timezone).describe("Time zone of that day."),
  reserve: share()
    .prefault(api.quota.reserve)
    .describe("Share of the quota kept in reserve for first reads and commands."),
  on_exhausted: z
    .enum(["degrade", "pause"])
    .prefault(api.quota.on_exhausted)
    .describe(
      "`degrade`: poll more slowly before the soft limit, low priority first. `pause`: stop at the soft limit.",
    ),
  price: priceSchema
    .optional()
    .describe("The price of a request, so that `plan` and `budget` show costs."),
});

/**
 * The schema of an API key. `key_file` is already replaced by `key` when this is checked. It is
 * listed for the JSON Schema, which editors use.
 */
const keySchema = z
  .strictObject({
    key: z.string().min(1).optional().describe("The API key."),
    key_file: z.string().min(1).optional().describe("A file that contains it."),
    name: z
      .string()
      .regex(
        /^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$/,
        "must be a word of letters, digits, `-`, `_` and `.`",
      )
      .optional()
      .describe(
        "Its name in the ledger, metrics and ops alerts. Default: a short hash of the key.",
      ),
    monthly: z
      .int()
      .min(1)
      .optional()
      .describe("Requests per month of this key. Default: what the service says is left."),
  })
  .refine((one) => one.key !== undefined, {
    error: "needs `key` or `key_file`",
    params: { rule: "missing-key" },
  });

const rateSchema = z.strictObject({
  count: z.int().min(1).prefault(api.rate_limit.count).describe("Requests in one interval."),
  interval: duration(100).prefault(api.rate_limit.interval).describe("Length of the interval."),
});

export const apiSchema = z.strictObject({
  base_url: baseUrl()
    .prefault(api.base_url)
    .describe(
      '"sandbox" (the bundled one), or the https address of the data service; /v3 is appended.',
    ),
  key: z.string().min(1).prefault(api.key).describe("The service's API key."),
  keys: z
    .array(z.union([z.string().min(1), keySchema]))
    .min(1)
    .optional()
    .describe(
      "Instead of `key`: several keys that share the load, each within its own rate limit and quota.",
    ),
  timeout: duration(100).prefault(api.timeout).describe("How long one request may take."),
  rate_limit: rateSchema
    .prefault({})
    .describe("At most the service's own limit of 20 requests per second."),
  quota: quotaSchema.prefault({}).describe("How many requests a month may cost."),
});

export const API_SECRETS = ["key"] as const;

export const STATE_SECRETS = ["url"] as const;

const archiveSchema = z.strictObject({
  keep: duration(3_600_000)
    .prefault(archive.keep)
    .describe("How long it is kept, and how far back a backtest can go."),
  max_size: sizeSetting(archive.max_size, "100MB or 1GB").describe(
    "Its size in the state. Beyond that, the oldest is deleted first.",
  ),
});

export const stateSchema = z.strictObject({
  path: z
    .string()
    .min(1)
    .prefault(state.path)
    .describe(
      "The database file; relative to CHIRPWATCH_DATA_DIR, else to this file. The default lies in CHIRPWATCH_DATA_DIR itself.",
    ),
  url: z
    .string()
    .min(1)
    .optional()
    .describe(
      "Instead of `path`: a Postgres database, like postgres://user:password@host:5432/database. TLS with a checked certificate, except on this machine.",
    ),
  retention: duration(3_600_000)
    .prefault(state.retention)
    .describe("How long items, messages and the ledger are kept."),
  must_exist: z
    .boolean()
    .prefault(state.must_exist)
    .describe("true: refuse to start if there is no database yet."),
  archive: z
    .union([z.literal("off"), archiveSchema])
    .prefault({})
    .describe(
      "What polls found, kept for backtests. `off`: nothing is kept, and what was kept is deleted.",
    ),
});

export const serverSchema = z.strictObject({
  listen: listen()
    .prefault(server.listen)
    .describe("Address of the status page, metrics and JSON API; port 0 takes any free port."),
  public_url: publicUrl()
    .optional()
    .describe(
      "Where people reach the status page, for links in messages; without it, messages name a command instead. The server also accepts requests for this host.",
    ),
  token: z
    .string()
    .min(1)
    .optional()
    .describe("Bearer token; required on addresses other than loopback."),
  read_token: z
    .string()
    .min(1)
    .optional()
    .describe("A second token, which may read everything and change nothing; needs `token`."),
});

export const SERVER_SECRETS = ["token", "read_token"] as const;

export const opsSchema = z.strictObject({
  sink: names().optional().describe("The sink or list of sinks for the daemon's own events."),
  heartbeat: z
    .strictObject({
      url: webAddress().describe("The address to request."),
      interval: duration(1_000).prefault(heartbeat.interval).describe("How often."),
    })
    .optional()
    .describe(
      "Requested regularly while the daemon makes progress, for a monitor that alerts when the requests stop.",
    ),
});

export const linksSchema = z.strictObject({
  host: linksHost().prefault(links.host).describe("Where permalinks point."),
});

export const versionSchema = z.literal(1, "must be 1: this is the first version of the language");
