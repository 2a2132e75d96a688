/**
 * Computes how many requests a purpose may use in the month. Counts nothing itself: the ledger
 * compares what was spent with the limit.
 */

/**
 * The purpose of a request. A scheduled poll may not use the reserve. A first read that sets a
 * baseline, and a person's command, may.
 */
export type Purpose = "poll" | "baseline" | "command";

export interface QuotaLimits {
  /** The requests per period; undefined if unknown. */
  readonly monthly: number | undefined;
  /** The share kept back from scheduled polls, 0 to 1. */
  readonly reserve: number;
}

/**
 * Returns the maximum number of billed requests in the period for this purpose; undefined if no
 * usable limit is known.
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
 * Whether a limit is usable. An odd answer (absent, negative, not finite, not a number) means
 * "unknown", never 0. A plain 0 is a limit if the operator configured it.
 */
export function isUsableLimit(limit: unknown): limit is number {
  return typeof limit === "number" && Number.isFinite(limit) && limit >= 0;
}
