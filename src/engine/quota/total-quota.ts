/** Computes the quota of all keys together from the limit of each key. Pure. */
import type { PayingKey } from "../../requests/reservation.ts";

/** What the quota needs to know about a key. */
export interface KeyQuota extends PayingKey {
  /** Whether the key is not suspended, so that requests may be sent with it. */
  readonly isUsable: boolean;
}

export interface TotalQuota {
  readonly limit: number | undefined;
  readonly reserve: number;
}

/**
 * Returns the quota of all keys together. Its limit is the sum of the usable keys' limits and of
 * what removed or suspended keys have spent. Its reserve is a share of the usable keys' limits
 * only. The configured quota applies instead if it leaves fewer requests, or if the limit of a
 * usable key is unknown.
 */
export function totalQuota(
  { monthly, reserve }: { readonly monthly?: number | undefined; readonly reserve: number },
  keys: readonly KeyQuota[],
  spentByKey: ReadonlyMap<string, number>,
): TotalQuota {
  const configured = { limit: monthly, reserve };
  const usable = keys.some(({ isUsable }) => isUsable)
    ? keys.filter(({ isUsable }) => isUsable)
    : keys;
  let left = 0;
  for (const { limit } of usable) {
    if (limit === undefined) return configured;
    left += limit;
  }
  const names = new Set(usable.map(({ name }) => name));
  let gone = 0;
  for (const [key, spent] of spentByKey) if (!names.has(key)) gone += spent;
  const together = left + gone;
  if (
    usable.length === 0 ||
    (monthly !== undefined && monthly * (1 - reserve) <= together - left * reserve)
  )
    return configured;
  return { limit: together, reserve: together === 0 ? reserve : (reserve * left) / together };
}

/**
 * Returns the limit of a key: the smaller one of the configured limit and the one learned from the
 * service. If only one is known, it applies; undefined if neither is.
 */
export const limitOfKey = (
  monthly: number | undefined,
  learned: number | undefined,
): number | undefined =>
  monthly === undefined || learned === undefined
    ? (monthly ?? learned)
    : Math.min(monthly, learned);
