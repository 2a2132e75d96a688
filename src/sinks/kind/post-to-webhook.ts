/** One message to the incoming webhook of a chat. What its answer means is each chat's own. */
import type { Http, HttpRequest, HttpResponse } from "../../model/http.ts";

/** Chat answers are a few kilobytes. */
const MAX_ANSWER_BYTES = 1_048_576;

/**
 * A 2xx is an answer whatever becomes of its body, which may be missing. @throws HttpError when no
 * answer arrived
 */
export const postToWebhook = (
  http: Http,
  url: string,
  content: object,
  how: Required<Pick<HttpRequest, "timeoutMs" | "signal" | "answerBody" | "reach">>,
): Promise<HttpResponse> =>
  http.request({
    method: "POST",
    url,
    headers: { "content-type": "application/json", "user-agent": "chirpwatch" },
    body: JSON.stringify(content),
    maxBytes: MAX_ANSWER_BYTES,
    ...how,
  });
