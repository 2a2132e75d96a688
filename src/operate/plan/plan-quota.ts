/** The quota with which a plan is compared: the configured one, or what the service reports. */
import { isUsableLimit } from "../../budget/spending-limit.ts";

/**
 * The quota and its source. `configured`: from `quota.monthly`. `remaining_requests`: from the
 * service's answer about the key. `unknown`: neither is known.
 */
export interface PlanQuota {
  readonly limit: number | null;
  readonly source: "configured" | "remaining_requests" | "unknown";
  /** Why the quota is unknown; otherwise empty. */
  readonly reason: string;
}

/**
 * Returns the configured quota, or the one in `remaining`. An answer that is no usable number means
 * unknown, never 0.
 */
export function planQuota(
  configured: number | undefined,
  remaining: { readonly value: unknown } | { readonly failure: string },
): PlanQuota {
  if (configured !== undefined) return { limit: configured, source: "configured", reason: "" };
  if ("failure" in remaining) return { limit: null, source: "unknown", reason: remaining.failure };
  if (isUsableLimit(remaining.value))
    return { limit: Math.floor(remaining.value), source: "remaining_requests", reason: "" };
  return {
    limit: null,
    source: "unknown",
    reason: "/key-usage-info gives no usable remaining_requests",
  };
}
