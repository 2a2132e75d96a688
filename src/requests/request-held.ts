import { ChirpwatchError } from "../model/errors.ts";

/**
 * Thrown when a request may not be sent now. The request was not paid for. `retryAtMs` is when it
 * may be sent, on the monotonic clock; undefined if that is unknown.
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
