/** The quota of all keys together, from what each may spend. Pure. */
import type { PayingKey } from "../../requests/reservation.ts";

/** A key as the quota sees it. */
export interface KeyQuota extends PayingKey {
  /** False while it is suspended. */
  readonly isUsable: boolean;
}

export interface TotalQuota {
  readonly limit: number | undefined;
  readonly reserve: number;
}

/**
 * What all keys together may spend: what each may, and what keys that are gone or suspended have
 * spent already, of which nothing is left to reserve. The configuration's own limit for a month
 * holds above it.
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
 * What the configuration allows a key, or what the service has left of it where that is less;
 * undefined while neither is known.
 */
export const limitOfKey = (
  monthly: number | undefined,
  learned: number | undefined,
): number | undefined =>
  monthly === undefined || learned === undefined
    ? (monthly ?? learned)
    : Math.min(monthly, learned);
