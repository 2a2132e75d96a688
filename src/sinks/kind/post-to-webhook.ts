/** Posts a message to the incoming webhook of a chat. Each chat's sink classifies the answers. */
import type { Http, HttpRequest, HttpResponse } from "../../model/http.ts";

/** The maximum size of an answer. Answers of chats have a few kilobytes. */
const MAX_ANSWER_BYTES = 1_048_576;

/**
 * Posts a message and returns the answer, whatever its status. @throws HttpError if no answer
 * arrived
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
