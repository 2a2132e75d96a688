/**
 * Classifies error answers (docs/service.md, section 3) and failures without an answer. Callers
 * decide by the error's `kind` what to do.
 */
import { readRetryAfter } from "../model/asked-wait.ts";
import { errorText, type ErrorDetails, type Retry } from "../model/errors.ts";
import { HttpError, type HttpResponse } from "../model/http.ts";
import { UpstreamError, type UpstreamFailure } from "../model/upstream.ts";
import { looksLikeHtml } from "./parse-body.ts";

const KEY_TEXT = /missing key|invalid key|api ?key (is )?(missing|invalid|not found)/i;
const BILLING_TEXT =
  /not pa(ye|i)d|pay(ment|ed)|billing|subscription|expired|quota|limit exceeded|exceeded .*limit|request limit|monthly/i;

const HINTS: Readonly<Partial<Record<UpstreamFailure, string>>> = {
  unauthorized:
    "Check api.key: the service does not know it, or it was deleted or copied with extra whitespace.",
  billing: "Renew the subscription or wait for the quota's next period; the key itself is good.",
  not_found: "It was renamed, deleted, suspended or protected, or never existed.",
};

/** Returns the error for an answer whose status is not 2xx. */
export function classifyAnswer(
  answer: HttpResponse,
  serviceTimeMs: number | undefined,
): UpstreamError {
  const { status } = answer;
  if (status >= 300 && status < 400) return redirectRefused(answer);
  const message = messageOf(answer.body);
  const kind = kindOf(status, message);
  const hint = HINTS[kind];
  const retry =
    kind === "rate_limited" || kind === "transient" ? retryAfter(answer, serviceTimeMs) : undefined;
  const details: ErrorDetails = {
    hint,
    retry,
    fields: { status },
  };
  return new UpstreamError(
    kind,
    `the service answered ${status}${message === "" ? "" : `: ${message}`}`,
    status,
    details,
  );
}

function kindOf(status: number, message: string): UpstreamFailure {
  if (status === 400) return "bad_request";
  if (status === 401) return "unauthorized";
  if (status === 402) return "billing";
  if (status === 403)
    return KEY_TEXT.test(message)
      ? "unauthorized"
      : BILLING_TEXT.test(message)
        ? "billing"
        : "forbidden";
  if (status === 404) return "not_found";
  if (status === 429) return "rate_limited";
  return "transient";
}

function redirectRefused(answer: HttpResponse): UpstreamError {
  const target = answer.headers["location"] ?? "";
  const host = URL.canParse(target) ? ` to ${new URL(target).host}` : "";
  return new UpstreamError(
    "transient",
    `redirect refused: the service answered ${answer.status}${host}`,
    answer.status,
    {
      hint: "The key is never sent to another address. If the service moved, change api.base_url.",
      fields: { status: answer.status },
    },
  );
}

/**
 * Returns the wait from the Retry-After header of an answer, which holds seconds, or a date that is
 * compared with the service's own clock. So far, the service has never sent the header.
 */
function retryAfter(answer: HttpResponse, serviceTimeMs: number | undefined): Retry | undefined {
  const afterMs = readRetryAfter(answer.headers["retry-after"], serviceTimeMs ?? Number.NaN);
  return afterMs === undefined ? undefined : { afterMs };
}

const MAX_MESSAGE_LENGTH = 300;

/**
 * Returns the `message` or `error` of a JSON body, or else the start of the text; "" if there is
 * neither.
 */
function messageOf(body: string): string {
  let found: unknown = looksLikeHtml(body) ? "an HTML page" : body;
  try {
    const parsed: unknown = JSON.parse(body);
    const fields = (typeof parsed === "object" && parsed !== null ? parsed : {}) as Readonly<
      Record<string, unknown>
    >;
    found = fields["message"] ?? fields["error"] ?? parsed;
  } catch {
    // The body is not JSON, so its text is used.
  }
  return typeof found === "string"
    ? found
        .replace(/\p{Cc}+/gu, " ")
        .trim()
        .slice(0, MAX_MESSAGE_LENGTH)
    : "";
}

/**
 * Returns the error for an answer that did not arrive, or not completely, or that could not be
 * read. It is transient, because the next answer may be usable.
 */
export function classifyNoAnswer(error: unknown): UpstreamError {
  if (!(error instanceof HttpError))
    return new UpstreamError(
      "transient",
      `the answer cannot be read: ${errorText(error)}`,
      undefined,
      { cause: error },
    );
  return new UpstreamError("transient", error.message, undefined, {
    cause: error,
    retry: error.retry,
    hint: error.hint,
    fields: { ...error.fields, reason: error.code, maybe_delivered: error.maybeDelivered },
  });
}
