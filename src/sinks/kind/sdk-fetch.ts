/**
 * Sends the requests of a vendor's SDK through the port `Http`, with its connections, size limit
 * and abort signals. The SDK decides on URLs and headers and interprets the answers.
 */
import type { Http, NetworkScope } from "../../model/http.ts";

/** The maximum size of an answer. Answers of chats have a few kilobytes. */
const MAX_ANSWER_BYTES = 1_048_576;

interface SdkRequest {
  readonly method?: string | undefined;
  readonly headers?: unknown;
  readonly body?: unknown;
  readonly signal?: unknown;
}

/** The limits of a request, which the SDK cannot change. */
interface SdkLimits {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly reach: NetworkScope;
}

/**
 * Makes a request with `POST`, or with `PATCH` or `GET` if the SDK asks for it; chat sinks need no
 * other method. Throws a `TypeError` if the body is not text.
 */
export async function sdkFetch(
  http: Http,
  url: string,
  init: SdkRequest,
  limits: SdkLimits,
): Promise<Response> {
  if (init.body !== undefined && init.body !== null && typeof init.body !== "string")
    throw new TypeError("only text bodies are sent");
  const { timeoutMs, signal, reach } = limits;
  const signals = [init.signal, signal].filter((one) => one instanceof AbortSignal);
  const answer = await http.request({
    method: init.method === "PATCH" || init.method === "GET" ? init.method : "POST",
    url,
    headers: Object.fromEntries(new Headers(init.headers as Record<string, string>)),
    ...(typeof init.body === "string" ? { body: init.body } : {}),
    timeoutMs,
    maxBytes: MAX_ANSWER_BYTES,
    reach,
    signal: AbortSignal.any(signals),
  });
  const empty = answer.status === 204 || answer.status === 304 || answer.status < 200;
  return new Response(empty ? null : answer.body, {
    status: Math.max(200, answer.status),
    headers: new Headers({ ...answer.headers }),
  });
}
