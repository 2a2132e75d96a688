/** Several keys that share the load, as the request gate sees them. */
import type { UpstreamError } from "../model/upstream.ts";
import type { EligibleKeys } from "./reservation.ts";

/** How a request failed with each key that it was sent with. */
export type FailedWith = ReadonlyMap<string, UpstreamError>;

export interface GateKeys {
  /** Those that may pay, by name, with their own limits; at least one. */
  eligible(): EligibleKeys;
  /**
   * Called when the service refuses a key; true when the request can be sent again at once, because
   * another key pays.
   */
  refused(key: string, error: UpstreamError, sentAtMs: number): Promise<boolean>;
  /**
   * Called when the service answered what a key paid for; answers do not come in the order of their
   * requests. `failedWith`: the keys with which the same request failed before.
   */
  paid(key: string, sentAtMs: number, failedWith: FailedWith): void;
}
