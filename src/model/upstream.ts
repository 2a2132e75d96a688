/**
 * The port of the data service: one attempt of one request, with classified failures. The caller
 * owns retries and the quota.
 */
import { ChirpwatchError, type ErrorDetails } from "./errors.ts";
import type { JsonObject } from "./json.ts";
import type { Tweet } from "./tweet.ts";
import type { User } from "./user.ts";

export interface UpstreamRequest {
  readonly endpoint: string;
  readonly params: JsonObject;
  /**
   * The cursor of the previous page, exactly as the service sent it: digits or other text without a
   * meaning for the client.
   */
  readonly cursor?: string | undefined;
  /** The name of the key with which the request is sent, as in the ledger. */
  readonly keyName?: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A page of an answer. `tweets` or `users` is set if the endpoint returns a list, `record` if it
 * returns a single object.
 */
export interface UpstreamAnswer {
  readonly tweets?: readonly Tweet[];
  readonly users?: readonly User[];
  /** The whole normalised body of a single-object endpoint. */
  readonly record?: JsonObject;
  /**
   * The cursor of the next page; undefined at the end of the list. The service marks the end by
   * null, no cursor, "", "0", 0, or the cursor just sent (docs/service.md section 2).
   */
  readonly nextCursor?: string;
  /** The service's clock from its Date header, in epoch ms with a resolution of one second. */
  readonly serviceTimeMs?: number;
}

export interface Upstream {
  /**
   * Makes one HTTP request, without retries.
   * @throws UpstreamError
   */
  call(request: UpstreamRequest): Promise<UpstreamAnswer>;
}

/**
 * The kind of a failure of the data service.
 * - `bad_request` 400: this request is wrong and stays wrong.
 * - `unauthorized` 401, or 403 about a missing key: the key is refused.
 * - `billing` 402, or 403 about payment or the limit: nothing can be read until someone pays or the
 *   period ends.
 * - `forbidden` 403 with another text: perhaps only this resource.
 * - `not_found` 404.
 * - `rate_limited` 429.
 * - `transient`: 5xx, sockets, timeouts, empty, truncated or non-JSON answers, wrong shapes. Never
 *   "no items".
 */
export type UpstreamFailure =
  | "bad_request"
  | "unauthorized"
  | "billing"
  | "forbidden"
  | "not_found"
  | "rate_limited"
  | "transient";

export class UpstreamError extends ChirpwatchError {
  readonly kind: UpstreamFailure;
  /** The HTTP status; undefined if no answer arrived. */
  readonly status: number | undefined;
  constructor(kind: UpstreamFailure, message: string, status?: number, details: ErrorDetails = {}) {
    const retry =
      details.retry ?? (kind === "transient" || kind === "rate_limited" ? "later" : "no");
    super(`UPSTREAM_${kind.toUpperCase()}`, message, { ...details, retry });
    this.kind = kind;
    this.status = status;
  }
}

const REFUSALS: ReadonlySet<UpstreamFailure> = new Set(["bad_request", "forbidden", "not_found"]);

/** Whether the request itself was refused, so that a different one may be answered. */
export const isRefusal = (error: unknown): error is UpstreamError =>
  error instanceof UpstreamError && REFUSALS.has(error.kind);

/** Whether a request was refused because of its cursor or query. */
export const isBadRequest = (error: unknown): boolean =>
  error instanceof UpstreamError && error.kind === "bad_request";
