/**
 * The port for HTTP requests. runtime/ implements it with undici. Answers are limited by size and
 * by a total deadline.
 */
import { ChirpwatchError, type ErrorDetails } from "./errors.ts";

/**
 * The addresses that a request may reach, checked against the address that the socket really
 * connects to: `any`, `public` (no private, loopback, link-local or metadata address), or
 * `loopback` only.
 */
export type NetworkScope = "any" | "public" | "loopback";

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PATCH" | "PUT";
  readonly url: string;
  /** The headers are sent with exactly these names, case included. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The deadline of the whole request, including connecting, headers and body. */
  readonly timeoutMs: number;
  /**
   * The maximum number of bytes of the answer's body after decompression. A whole body beyond it is
   * refused with `HTTP_TOO_LARGE`.
   */
  readonly maxBytes: number;
  /**
   * What happens to the body once the status line has arrived; `whole` by default.
   * - `whole`: a body that is late, broken or too long makes the answer an error.
   * - `cut`: the answer contains what arrived within two seconds and `maxBytes`.
   * - `drop`: like `cut`, but a 2xx is an answer at once, with an empty body.
   */
  readonly answerBody?: "whole" | "cut" | "drop";
  readonly reach: NetworkScope;
  readonly signal?: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  /** The names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Http {
  /**
   * Sends a request. Redirects are returned, never followed.
   * @throws HttpError if no answer arrived, or less of it than was requested
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
 * Thrown if no complete answer arrived. `maybeDelivered` says whether the other side may have acted
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
