/**
 * What the server asks of the daemon, and the shapes it answers with: the types below are the JSON of `/api/v1/…`, field for field.
 * Names are snake_case and times ISO 8601 UTC, as in the webhook body. Implemented in app/, which may read state, engine and configuration.
 */
import type { ChirpEvent } from "../model/event.ts";
import type { ItemHistory } from "../model/history.ts";
import type { TargetStatus } from "../model/watch-store.ts";
import type { Priority } from "../model/schedule.ts";

/** `degraded`: it runs, but someone should look. `paused`: nothing is polled at all, and `reasons` says why. */
export type DaemonState = "running" | "degraded" | "paused";

export interface TargetView {
  /** As written in the YAML. */
  readonly name: string;
  readonly status: TargetStatus;
  /** Empty when the status is `ok` or `pending`. */
  readonly reason: string;
}

export interface WatchView {
  readonly id: string;
  readonly type: string;
  /** Where its alerts go, for people: `#brand`, `slack-brand and terminal`. */
  readonly sink: string;
  readonly priority: Priority;
  readonly paused: boolean;
  /** As written: `@every 5m`, or a cron pattern with its time zone. */
  readonly schedule: string;
  readonly targets: readonly TargetView[];
  /** Items with a verdict so far. */
  readonly known_items: number;
  readonly last_poll_at: string | null;
  readonly next_poll_at: string | null;
  /** Billed requests of this period. */
  readonly requests_spent: number;
  /** Why the last poll failed; empty when it did not. */
  readonly problem: string;
}

export interface SinkView {
  readonly name: string;
  readonly type: string;
  readonly breaker: "closed" | "open";
  /** Why the breaker is open; empty while closed. */
  readonly reason: string;
  readonly waiting: number;
  readonly oldest_at: string | null;
  readonly sent: number;
  readonly dead: number;
}

export interface QuotaView {
  /** Null while unknown. */
  readonly limit: number | null;
  readonly spent: number;
  /** Where scheduled polls stop: the limit without the reserve. Null while unknown. */
  readonly line: number | null;
  /** Requests of the whole period at the pace the schedules ask for; null while unknown. */
  readonly forecast: number | null;
  /** The same, stretched where the quota is short and never beyond the line; null while unknown. */
  readonly expected: number | null;
  /** What happens where the schedules ask for more than the line: polls are slowed down before it, or stop at it. */
  readonly on_exhausted: "degrade" | "pause";
  /** How many times slower polls of a priority go; null while no daemon runs. */
  readonly stretch: Readonly<Record<Priority, number>> | null;
  /** Requests of the period that the service counted beyond the ledger; below 0 when it counted fewer. */
  readonly drift: number;
  readonly keys: readonly KeyView[];
  readonly period_start: string;
  readonly period_end: string;
}

export interface KeyView {
  /** As the configuration calls it, else a short hash of the key. */
  readonly name: string;
  /** Requests of this period. */
  readonly spent: number;
  /** Null while unknown. */
  readonly limit: number | null;
  /** Why it is set aside; empty while it may pay. */
  readonly aside: string;
}

export interface SpentView {
  readonly name: string;
  readonly spent: number;
  /** At the end of the period, at the pace in force; null where nothing is planned or known. */
  readonly expected: number | null;
}

/** What the period has cost so far, and what it will. */
export interface BudgetView {
  readonly quota: QuotaView;
  readonly price: { readonly per_request: number; readonly currency: string } | null;
  /** The dearest first; commands and housekeeping under names of their own. */
  readonly watches: readonly SpentView[];
  readonly endpoints: readonly Pick<SpentView, "name" | "spent">[];
  /** Hours of the period in which something was spent, in order. */
  readonly hours: readonly { readonly at: string; readonly spent: number }[];
}

export interface UpstreamView {
  readonly up: boolean;
  /** Why it is down, or `throttled`; empty when all is well. */
  readonly reason: string;
  readonly since: string | null;
}

export interface EventLine {
  readonly id: string;
  readonly type: string;
  /** Watch id; empty for the daemon's own events. */
  readonly watch: string;
  /** One line for people. */
  readonly title: string;
  readonly url: string | null;
  readonly occurred_at: string;
  readonly detected_at: string;
}

export interface ConfigView {
  readonly file: string;
  readonly loaded_at: string;
  /** `file:line:column: sentence`. */
  readonly warnings: readonly string[];
  /** The last reload that was refused, until one succeeds. */
  readonly failed_reload: { readonly at: string; readonly errors: readonly string[] } | null;
}

export interface StatusView {
  readonly state: DaemonState;
  /** One sentence each; empty when `running`. */
  readonly reasons: readonly string[];
  readonly version: string;
  readonly started_at: string;
  readonly uptime_seconds: number;
  readonly upstream: UpstreamView;
  readonly quota: QuotaView;
  /** Holes in covered history that wait to be filled. */
  readonly gaps: number;
  readonly watches: readonly WatchView[];
  readonly sinks: readonly SinkView[];
  /** Newest first, about twenty. */
  readonly recent_events: readonly EventLine[];
  readonly config: ConfigView;
}

export interface Health {
  /** False only when the process makes no progress or the store cannot write: never for upstream, sinks or quota. */
  readonly live: boolean;
  /** True once the configuration is loaded and the loops run. */
  readonly ready: boolean;
  /** One short sentence without secrets: it is shown to everyone. */
  readonly reason: string;
}

/** What is stored about an item that someone asked for by tweet id, link or handle. */
export interface Found {
  readonly itemId: string | null;
  readonly histories: readonly ItemHistory[];
}

/** The daemon as the server reads it. */
export interface Views {
  health(): Promise<Health>;
  status(): Promise<StatusView>;
  budget(): Promise<BudgetView>;
  /** Newest first. */
  events(limit: number): Promise<readonly ChirpEvent[]>;
  explain(item: string): Promise<Found>;
  /** The text of `/metrics`; gauges that are read rather than counted are set before it is rendered. */
  metrics(): Promise<string>;
}

export type ReloadOutcome = { readonly ok: true } | { readonly ok: false; readonly errors: readonly string[] };

/** What the server may ask the daemon to do. */
export interface Actions {
  /** All or nothing: a refused file leaves the old one in force. Never rejects for a bad file. */
  reload(): Promise<ReloadOutcome>;
  /** False when there is no watch of that id. */
  setPaused(watchId: string, paused: boolean): Promise<boolean>;
}
