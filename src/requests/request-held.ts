/** A request that may not go out now. */
import { ChirpwatchError } from "../model/errors.ts";

/**
 * Thrown when a request may not be sent now: `retryAtMs` on the monotonic clock, where that is
 * known. Nothing was paid.
 */
export class RequestHeld extends ChirpwatchError {
  readonly retryAtMs: number | undefined;
  readonly reason: "backoff" | "stopped" | "quota" | "pace" | "closed";
  constructor(reason: RequestHeld["reason"], message: string, retryAtMs?: number) {
    super(`REQUEST_HELD_${reason.toUpperCase()}`, message, { retry: "later" });
    this.reason = reason;
    this.retryAtMs = retryAtMs;
  }
}
