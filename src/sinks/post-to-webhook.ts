/** One message to the incoming webhook of a chat. What its answer means is each chat's own. */
import type { Http, HttpResponse } from "../model/http.ts";

/** Chat answers are a few kilobytes. */
const MAX_ANSWER_BYTES = 1_048_576;

/** @throws HttpError when no whole answer arrived */
export const postToWebhook = (
  http: Http,
  url: string,
  content: object,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<HttpResponse> =>
  http.request({
    method: "POST",
    url,
    headers: { "content-type": "application/json", "user-agent": "chirpwatch" },
    body: JSON.stringify(content),
    timeoutMs,
    maxBytes: MAX_ANSWER_BYTES,
    reach: "any",
    signal,
  });
