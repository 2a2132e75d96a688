/** What a webhook's answer, or its absence, means for the message: taken, never, not now, or nobody home. */
import { errorText } from "../../model/errors.ts";
import { HttpError, type HttpResponse } from "../../model/http.ts";
import { SinkError, type SinkFailure } from "../../model/sink.ts";
import { retryAfterMs } from "../kind/retry-after.ts";

/** No answer came. */
export function classifyWebhookFailure(error: unknown, url: string): SinkError {
  if (error instanceof HttpError && error.code === "HTTP_ADDRESS_REFUSED") {
    return new SinkError("destination", `${new URL(url).host} is a private or loopback address, which webhooks may not reach`, undefined, {
      hint: "If that is where it should go, set `allow_private: true` on this sink.",
      cause: error,
    });
  }
  const hint = error instanceof HttpError ? error.hint : "";
  return new SinkError("transient", errorText(error), undefined, { hint, cause: error });
}

/** Statuses that speak of the address, not of one message: every message would fare the same. */
const DESTINATION = new Set([401, 402, 403, 404, 405, 407, 410, 451]);
const PASSING = new Set([408, 421, 423, 425]);

/** For a 429 that does not say how long. */
const DEFAULT_WAIT_MS = 30_000;

function failureOf(status: number): SinkFailure {
  if (status >= 300 && status < 400) return "destination";
  if (DESTINATION.has(status)) return "destination";
  if (status === 429) return "rate_limited";
  return status >= 500 || status < 200 || PASSING.has(status) ? "transient" : "message";
}

/** An answer other than 2xx. */
export function classifyWebhookAnswer(answer: HttpResponse, nowMs: number): SinkError {
  const kind = failureOf(answer.status);
  const askedMs = kind === "message" || kind === "destination" ? undefined : retryAfterMs(answer.headers["retry-after"], nowMs);
  const afterMs = askedMs ?? (kind === "rate_limited" ? DEFAULT_WAIT_MS : undefined);
  const details = { hint: HINTS[answer.status] ?? "", ...(afterMs === undefined ? {} : { retry: { afterMs } }) };
  return new SinkError(kind, describeAnswer(answer), answer.status, details);
}

function describeAnswer(answer: HttpResponse): string {
  if (answer.status >= 300 && answer.status < 400) return `the webhook answered ${answer.status}, a redirect, which is not followed`;
  const text = answer.body.replace(/\s+/g, " ").trim().slice(0, 200);
  return `the webhook answered ${answer.status}${text === "" ? "" : `: ${text}`}`;
}

const HINTS: Readonly<Record<number, string>> = {
  301: "Set `url` to the address it redirects to.",
  302: "Set `url` to the address it redirects to.",
  307: "Set `url` to the address it redirects to.",
  308: "Set `url` to the address it redirects to.",
  401: "The receiver wants credentials: check `secret` and `headers`.",
  403: "The receiver refuses these credentials: check `secret` and `headers`.",
  404: "Nothing listens under this address: check `url`.",
  405: "This address takes no POST: check `url`.",
  410: "The receiver says this address is gone for good: change `url` or remove the sink.",
};
