/** The request gate's view of several keys that share the load. */
import type { UpstreamError } from "../model/upstream.ts";
import type { EligibleKeys } from "./reservation.ts";

/** The keys with which a request was sent and failed, each with its error. */
export type FailedWith = ReadonlyMap<string, UpstreamError>;

export interface GateKeys {
  /** Returns the keys that may pay, with their own limits; at least one. */
  eligible(): EligibleKeys;
  /**
   * Called when the service refuses a key. Resolves to true if the request can be sent again at
   * once, because another key can pay.
   */
  refused(key: string, error: UpstreamError, sentAtMs: number): Promise<boolean>;
  /**
   * Called when the service has answered a billed request, not necessarily in the order of the
   * requests. `failedWith`: the keys with which the same request failed before.
   */
  paid(key: string, sentAtMs: number, failedWith: FailedWith): void;
}
