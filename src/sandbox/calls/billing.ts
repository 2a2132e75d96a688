/** How many requests of the quota each request costs. keys.ts counts them. */
import type { Endpoint } from "../../api/endpoint.ts";

/**
 * The documents leave open whether failed requests are billed (docs/service.md section 3). The
 * sandbox bills every request that reaches a handler, even if it fails. A client that assumes that
 * only successes are billed then shows a difference.
 */
export const BILLING_TABLE = `Answer                                   Billed requests
200                                      1 (a batch of 100 is one request)
200 of /key-usage-info                   0
400, 404 of a known endpoint             1
400 before the endpoint is known         0
401, 402, 403, 429                       0
404 of an unknown path                   0
5xx and broken answers made by faults    1
`;

/** Returns how many requests of the monthly quota this answer costs: 0 or 1. */
export function costOf(row: Pick<Endpoint, "billed"> | undefined, status: number): number {
  if (row?.billed !== true) return 0;
  return [401, 402, 403, 429].includes(status) ? 0 : 1;
}
