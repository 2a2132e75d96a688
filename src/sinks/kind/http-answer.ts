/**
 * Classifies the answer of an HTTP receiver, or a missing answer. Each sink type adds hints for its
 * own receiver.
 */
import { asksToWait, readRetryAfter } from "../../model/asked-wait.ts";
import { errorText } from "../../model/errors.ts";
import { HttpError, type HttpResponse } from "../../model/http.ts";
import { SinkError, type SinkFailure, TOO_LARGE } from "../../model/sink.ts";
import { ownValue } from "../../model/own-value.ts";

export interface Receiver {
  /** The name as part of a sentence: "the webhook". */
  readonly name: string;
  /** Hints for the operator, by HTTP status. */
  readonly hints: Readonly<Record<number, string>>;
  /**
   * The kinds of failures by HTTP status, for statuses that this receiver uses in an unusual way.
   */
  readonly kinds?: Readonly<Record<number, SinkFailure>>;
  /**
   * Statuses with which the receiver says that nothing will ever exist at this address again. The
   * sink is then disabled.
   */
  readonly gone?: readonly number[];
  /** Whether an answer means that the message is too large. A 413 always does. */
  isTooLarge?(answer: HttpResponse): boolean;
  /**
   * Whether the answer means that some of several services behind the receiver accepted the message
   * and others did not. The message is then not sent again.
   */
  isPart?(answer: HttpResponse): boolean;
  /**
   * Returns the failure that the body of a 2xx answer reports, as an answer with the failure's
   * status; undefined if the message was accepted. Only for vendors that document such reports.
   */
  readFailure?(answer: HttpResponse): HttpResponse | undefined;
}

const UNANSWERED: Readonly<Record<string, string>> = {
  HTTP_DNS: "Check the host name in the sink's address.",
  HTTP_CONNECT: "Check host and port in the sink's address, and that something listens there.",
  HTTP_TLS:
    "Give the receiver a certificate for its host that this machine trusts, or add its certificate to NODE_EXTRA_CA_CERTS.",
  HTTP_TIMEOUT: "Make the receiver answer sooner, or raise `timeout`.",
};

/**
 * Returns an error if the request was refused because its address is private; undefined for any
 * other failure.
 */
export function addressRefusal(error: unknown, host = hostIn(error)): SinkError | undefined {
  if (!(error instanceof HttpError) || error.code !== "HTTP_ADDRESS_REFUSED") return undefined;
  const hint = "If the address is right, set `allow_private: true` on this sink.";
  return new SinkError(
    "destination",
    `${host} is a private or loopback address, which this sink may not reach`,
    undefined,
    {
      hint,
      cause: error,
    },
  );
}

const hostIn = (error: unknown): string =>
  error instanceof HttpError ? String(error.fields["host"]) : "";

/** Classifies the failure of a request that got no answer. */
export function classifyHttpFailure(error: unknown, url: string): SinkError {
  const refused = addressRefusal(error, new URL(url).host);
  if (refused !== undefined) return refused;
  const hint =
    error instanceof HttpError ? error.hint || (ownValue(UNANSWERED, error.code) ?? "") : "";
  return new SinkError("transient", errorText(error), undefined, { hint, cause: error });
}

/**
 * Statuses that concern the address and not a single message, so that every message would get them.
 */
const DESTINATION = new Set([401, 402, 403, 404, 405, 407, 410, 451]);
const PASSING = new Set([408, 421, 423, 425]);

function failureOf(status: number): SinkFailure {
  if (status >= 300 && status < 400) return "destination";
  if (DESTINATION.has(status)) return "destination";
  if (status === 429) return "rate_limited";
  return status >= 500 || status < 200 || PASSING.has(status) ? "transient" : "message";
}

/** Returns the hint for receivers that have no better one. */
function usualHint(status: number): string {
  if (status >= 300 && status < 400) return "Set the sink's address to the target of the redirect.";
  if (status === 405) return "This address takes no POST requests: check the sink's address.";
  if (status === 407)
    return "A proxy in front of the receiver requires a password: check HTTPS_PROXY and HTTP_PROXY.";
  return status === 413
    ? "The message is too large for the receiver: raise its limit on the size of a request."
    : "";
}

/** Classifies an answer other than 2xx. */
export function classifyHttpAnswer(
  answer: HttpResponse,
  nowMs: number,
  receiver: Receiver,
): SinkError {
  const { name, hints, kinds = {}, gone = [] } = receiver;
  const isLarge = answer.status === 413 || receiver.isTooLarge?.(answer) === true;
  const kind = isLarge ? "message" : (kinds[answer.status] ?? failureOf(answer.status));
  const afterMs =
    kind === "message" || kind === "destination"
      ? undefined
      : readRetryAfter(answer.headers["retry-after"], nowMs);
  const retry = afterMs === undefined ? {} : { retry: { afterMs } };
  const fields = {
    ...(gone.includes(answer.status) ? { gone: true } : {}),
    ...(isLarge ? TOO_LARGE : {}),
  };
  const hint = hints[answer.status] ?? usualHint(isLarge ? 413 : answer.status);
  const asks = kind === "rate_limited" ? asksToWait(name, afterMs) : describeAnswer(answer, name);
  return new SinkError(kind, asks, answer.status, { hint, ...retry, fields });
}

function describeAnswer(answer: HttpResponse, name: string): string {
  if (answer.status >= 300 && answer.status < 400)
    return `${name} answered ${answer.status}, a redirect, which is not followed`;
  const text = answer.body.replace(/\s+/g, " ").trim().slice(0, 200);
  return `${name} answered ${answer.status}${text === "" ? "" : `: ${text}`}`;
}
