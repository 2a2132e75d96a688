/**
 * How many requests a purpose may take in the month. Counts nothing itself: the ledger compares
 * what was spent with the limit.
 */

/**
 * Who asks: a scheduled poll leaves the reserve alone; a baseline and a person's command may use
 * it.
 */
export type Purpose = "poll" | "baseline" | "command";

export interface QuotaLimits {
  /** Requests a period; undefined while nobody knows. */
  readonly monthly: number | undefined;
  /** Share kept back from scheduled polls, 0 to 1. */
  readonly reserve: number;
}

/**
 * Most billed requests of the period that may be granted for this purpose; undefined: no usable
 * limit is known.
 */
export function spendingLimit({
  monthly,
  reserve,
  purpose,
}: QuotaLimits & { readonly purpose: Purpose }): number | undefined {
  if (!isUsableLimit(monthly)) return undefined;
  const whole = Math.floor(monthly);
  if (purpose !== "poll") return whole;
  return Math.floor(whole * (1 - Math.min(Math.max(reserve, 0), 1)));
}

/**
 * False for an odd answer about the limit (absent, negative, not finite, not a number): that is
 * "unknown", never 0. A plain 0 is a limit when the operator wrote it.
 */
export function isUsableLimit(limit: unknown): limit is number {
  return typeof limit === "number" && Number.isFinite(limit) && limit >= 0;
}
