/**
 * Computes how many requests of the month may be used for a purpose. Counts nothing: the ledger
 * compares the spent requests with the limit.
 */

/**
 * The purpose of a request: a scheduled poll, a first read that sets a baseline, or a person's
 * command. Only a scheduled poll may not use the reserve.
 */
export type Purpose = "poll" | "baseline" | "command";

export interface QuotaLimits {
  /** The number of requests per period; undefined if unknown. */
  readonly monthly: number | undefined;
  /** The share of `monthly` that is kept back from scheduled polls, 0 to 1. */
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
 * Whether a limit is usable. A value that is absent, negative, not finite or not a number means
 * "unknown" and never 0. A 0 is a limit, because the operator may configure it.
 */
export function isUsableLimit(limit: unknown): limit is number {
  return typeof limit === "number" && Number.isFinite(limit) && limit >= 0;
}
