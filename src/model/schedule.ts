/** Ticks, as written: a cron pattern in a time zone, or a fixed interval. */
export type Schedule =
  | { readonly kind: "cron"; readonly pattern: string; readonly timezone: string }
  | { readonly kind: "every"; readonly intervalMs: number };

/** The most urgent first. */
export const PRIORITIES = ["high", "normal", "low"] as const;
export type Priority = (typeof PRIORITIES)[number];

/** What many share is as urgent as the most urgent of them. */
export const mostUrgent = (priorities: readonly Priority[]): Priority =>
  PRIORITIES.find((one) => priorities.includes(one)) ?? "normal";

/**
 * Instead of a schedule, how late posts may be found: a mean over all posts with a longest wait, or
 * a delay that 95 of 100 stay under.
 */
export type Freshness =
  | { readonly kind: "mean"; readonly meanMs: number; readonly maxMs: number }
  | { readonly kind: "p95"; readonly p95Ms: number };

/** When a watch wants to be polled, in one of its two words. */
export type Timing =
  | { readonly kind: "schedule"; readonly schedule: Schedule }
  | { readonly kind: "freshness"; readonly freshness: Freshness };

/**
 * How accounts are read: each by itself, by probes of many and reads of what moved, by searches
 * that name many; `auto`: whatever costs least.
 */
export type StrategyOverride = "auto" | "single" | "probe" | "merge";
