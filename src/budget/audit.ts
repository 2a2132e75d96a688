/**
 * Compares what the service says a key has left with what the ledger counted meanwhile. Pure: asks
 * nobody and counts nothing.
 */
import type { AuditCount } from "../model/ledger.ts";

/**
 * - `agrees`: within what failed attempts and attempts under way leave open.
 * - `stands_still`: the service's figure did not move though requests were answered: compare again
 *   over a longer span.
 * - `restarted`: it went up: another period began there, or someone topped up.
 * - `drift`: off by so many requests; more than 0 when the service counted more than the ledger.
 */
export type AuditVerdict =
  | { readonly kind: "agrees" | "stands_still" | "restarted" }
  | { readonly kind: "drift"; readonly requests: number };

export function evaluateAudit(
  remainingBefore: number,
  remainingNow: number,
  { certain, possible }: AuditCount,
): AuditVerdict {
  const drop = remainingBefore - remainingNow;
  if (drop < 0) return { kind: "restarted" };
  if (drop === 0 && certain > 0) return { kind: "stands_still" };
  if (drop > possible) return { kind: "drift", requests: drop - possible };
  return drop < certain ? { kind: "drift", requests: drop - certain } : { kind: "agrees" };
}

/** A ledger that counts a little too much is harmless, and some services count late. */
const HARMLESS_REQUESTS = 10;
const HARMLESS_SHARE = 0.02;

/** Whether someone should hear of a drift, summed up over the period. */
export const isAlarming = (driftRequests: number, spent: number): boolean =>
  driftRequests > 0 || -driftRequests > Math.max(HARMLESS_REQUESTS, spent * HARMLESS_SHARE);
