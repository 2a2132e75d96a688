/** Posts a message to the incoming webhook of a chat. Each chat classifies the answers. */
import type { Http, HttpRequest, HttpResponse } from "../../model/http.ts";

/** Chat answers are a few kilobytes. */
const MAX_ANSWER_BYTES = 1_048_576;

/**
 * Posts a message. A 2xx counts as an answer even if its body is missing. @throws HttpError if no
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
