/**
 * HTTP as a port. Implemented over undici in runtime/; answers are cut at a size and a total
 * deadline.
 */
import { ChirpwatchError, type ErrorDetails } from "./errors.ts";

/**
 * Which addresses a request may reach, checked against the address the socket really connects to:
 * `any`, `public` (no private, loopback, link-local or metadata address), or `loopback` only.
 */
export type NetworkScope = "any" | "public" | "loopback";

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PATCH" | "PUT";
  readonly url: string;
  /** Sent with exactly these names: the case is kept. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Total deadline over connecting, headers and body. */
  readonly timeoutMs: number;
  /**
   * Bytes of the answer's body, counted after decompression. A whole body beyond it is refused with
   * `HTTP_TOO_LARGE`.
   */
  readonly maxBytes: number;
  /**
   * What the body is worth once the status line has arrived; `whole` unless said:
   * - `whole`: a body that is late, broken or too long makes the answer an error.
   * - `cut`: the answer is what has come of it within two seconds and `maxBytes`.
   * - `drop`: the same, but a 2xx is an answer at once, with an empty body.
   */
  readonly answerBody?: "whole" | "cut" | "drop";
  readonly reach: NetworkScope;
  readonly signal?: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Http {
  /**
   * Redirects are returned, never followed. @throws HttpError when no answer arrived, or not as
   * much of it as was asked for.
   */
  request(request: HttpRequest): Promise<HttpResponse>;
}

export type HttpFailure =
  | "HTTP_TIMEOUT"
  | "HTTP_CONNECT"
  | "HTTP_RESET"
  | "HTTP_DNS"
  | "HTTP_TLS"
  | "HTTP_TOO_LARGE"
  | "HTTP_ADDRESS_REFUSED"
  | "HTTP_ABORTED";

/**
 * Thrown when no whole answer arrived. `maybeDelivered` says whether the other side may have acted
 * on the request.
 */
export class HttpError extends ChirpwatchError {
  readonly maybeDelivered: boolean;
  constructor(
    code: HttpFailure,
    message: string,
    maybeDelivered: boolean,
    details: ErrorDetails = {},
  ) {
    super(code, message, { retry: "later", ...details });
    this.maybeDelivered = maybeDelivered;
  }
}
