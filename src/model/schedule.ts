/** A configured schedule: a cron pattern in a time zone, or a fixed interval. */
export type Schedule =
  | { readonly kind: "cron"; readonly pattern: string; readonly timezone: string }
  | { readonly kind: "every"; readonly intervalMs: number };

/** The priorities, the most urgent first. */
export const PRIORITIES = ["high", "normal", "low"] as const;
export type Priority = (typeof PRIORITIES)[number];

/**
 * Returns the priority of something that several watches share: the most urgent of their
 * priorities.
 */
export const mostUrgent = (priorities: readonly Priority[]): Priority =>
  PRIORITIES.find((one) => priorities.includes(one)) ?? "normal";

/**
 * The `freshness` of a watch, an alternative to a schedule: how late posts may be found. It is
 * either a mean delay over all posts with a maximum, or a delay that 95% of posts do not exceed.
 */
export type Freshness =
  | { readonly kind: "mean"; readonly meanMs: number; readonly maxMs: number }
  | { readonly kind: "p95"; readonly p95Ms: number };

/** What decides when a watch is polled: a schedule or a `freshness`. */
export type Timing =
  | { readonly kind: "schedule"; readonly schedule: Schedule }
  | { readonly kind: "freshness"; readonly freshness: Freshness };

/**
 * How the accounts of a watch are read: each on its own (`single`), by probes of many accounts and
 * reads of those that changed (`probe`), or by searches that name many accounts (`merge`). `auto`
 * chooses the cheapest.
 */
export type StrategyOverride = "auto" | "single" | "probe" | "merge";
