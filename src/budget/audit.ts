/**
 * Compares two figures for the same time: by how much the credit that the service reports for a key
 * went down, and how many requests the ledger counted. Pure: makes no requests and counts nothing.
 */
import type { AuditCount } from "../model/ledger.ts";

/**
 * The result of a comparison.
 * - `agrees`: failed attempts and attempts under way can explain the difference.
 * - `stands_still`: the service's figure did not change although requests were answered. The
 *   comparison must be repeated over a longer time.
 * - `restarted`: the figure went up, because another period began at the service or more requests
 *   were bought.
 * - `drift`: the figures differ by this many requests; more than 0 if the service counted more than
 *   the ledger.
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

/**
 * The ledger may count this many requests more than the service, or `HARMLESS_SHARE` of the spent
 * requests if that is more, before the drift is reported. Some services count late.
 */
const HARMLESS_REQUESTS = 10;
const HARMLESS_SHARE = 0.02;

/** Whether a drift, summed up over the period, must be reported. */
export const isAlarming = (driftRequests: number, spent: number): boolean =>
  driftRequests > 0 || -driftRequests > Math.max(HARMLESS_REQUESTS, spent * HARMLESS_SHARE);
