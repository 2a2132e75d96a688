/** The request gate's view of several keys that share the load. */
import type { UpstreamError } from "../model/upstream.ts";
import type { EligibleKeys } from "./reservation.ts";

/** The keys with which a request was sent and failed, each with its error. */
export type FailedWith = ReadonlyMap<string, UpstreamError>;

export interface GateKeys {
  /** Returns the keys that may pay for requests now, at least one, each with its own limit. */
  eligible(): EligibleKeys;
  /**
   * Records that the service refused a key for the request that was sent at `sentAtMs` (monotonic).
   * Resolves to true if the request can be sent again at once, because another key can pay.
   */
  refused(key: string, error: UpstreamError, sentAtMs: number): Promise<boolean>;
  /**
   * Records that the service answered a billed request that was sent at `sentAtMs` (monotonic). The
   * calls may come in another order than the requests. `failedWith` holds the keys with which the
   * same request failed before.
   */
  paid(key: string, sentAtMs: number, failedWith: FailedWith): void;
}
