/** What a request costs. Which key pays for it is decided in keys.ts. */
import type { Endpoint } from "../../api/endpoint.ts";

/**
 * The documents leave open whether failed calls are billed (docs/service.md section 3). The sandbox
 * bills everything that its handlers worked on, so that a client which trusts only successes is
 * caught.
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

/** Returns how many requests this answer takes off the monthly quota. */
export function costOf(row: Pick<Endpoint, "billed"> | undefined, status: number): number {
  if (row?.billed !== true) return 0;
  return [401, 402, 403, 429].includes(status) ? 0 : 1;
}
