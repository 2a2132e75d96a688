/** The configured ticks: a cron pattern in a time zone, or a fixed interval. */
export type Schedule =
  | { readonly kind: "cron"; readonly pattern: string; readonly timezone: string }
  | { readonly kind: "every"; readonly intervalMs: number };

/** The priorities, the most urgent first. */
export const PRIORITIES = ["high", "normal", "low"] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Returns the priority of what several watches share: the most urgent of theirs. */
export const mostUrgent = (priorities: readonly Priority[]): Priority =>
  PRIORITIES.find((one) => priorities.includes(one)) ?? "normal";

/**
 * An alternative to a schedule: how late posts may be found. Either a mean over all posts with a
 * longest wait, or a delay that 95 of 100 posts stay under.
 */
export type Freshness =
  | { readonly kind: "mean"; readonly meanMs: number; readonly maxMs: number }
  | { readonly kind: "p95"; readonly p95Ms: number };

/** When a watch is polled: by a schedule or by freshness. */
export type Timing =
  | { readonly kind: "schedule"; readonly schedule: Schedule }
  | { readonly kind: "freshness"; readonly freshness: Freshness };

/**
 * How accounts are read: each on its own, by probes of many and reads of what changed, or by
 * searches that name many. `auto` chooses the cheapest.
 */
export type StrategyOverride = "auto" | "single" | "probe" | "merge";
