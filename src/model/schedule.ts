/** When a watch wants to be polled, as written: a cron pattern in a time zone, or a fixed interval. */
export type Schedule =
  | { readonly kind: "cron"; readonly pattern: string; readonly timezone: string }
  | { readonly kind: "every"; readonly intervalMs: number };

export type Priority = "high" | "normal" | "low";
