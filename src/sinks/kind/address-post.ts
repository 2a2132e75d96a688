/**
 * Makes POST requests to an address that the operator configured. Decides which addresses may be
 * reached and how much of an answer is read.
 */
import type { Clock } from "../../model/clock.ts";
import { parseDuration } from "../../model/duration.ts";
import type { Http, HttpResponse } from "../../model/http.ts";
import { scopeOf } from "./address-settings.ts";
import { classifyHttpAnswer, classifyHttpFailure, type Receiver } from "./http-answer.ts";

/** Webhook receivers usually answer with a word or two. A longer answer is cut off. */
const MAX_ANSWER_BYTES = 16_384;

/** The settings that `address-settings.ts` defines. */
interface AddressSettings {
  readonly url: string;
  readonly allow_private: boolean;
  readonly timeout: string;
}

/**
 * Makes one request. The body of a 2xx answer is read only if the receiver may report failures in
 * it. @throws SinkError for any answer that is neither a success nor a partial delivery, and if
 * there is no answer
 */
export type Post = (
  request: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  signal: AbortSignal,
) => Promise<HttpResponse>;

export function createPoster(
  settings: AddressSettings,
  receiver: Receiver,
  { http, clock }: { readonly http: Http; readonly clock: Clock },
): Post {
  const { url, allow_private: isPrivateAllowed, timeout } = settings;
  const how = {
    method: "POST",
    url,
    timeoutMs: parseDuration(timeout) ?? 15_000,
    maxBytes: MAX_ANSWER_BYTES,
    answerBody: receiver.readFailure === undefined ? "drop" : "cut",
    reach: scopeOf(url, isPrivateAllowed, false),
  } as const;
  return async ({ headers, body }, signal) => {
    const answer = await http.request({ ...how, headers, body, signal }).catch((error: unknown) => {
      throw classifyHttpFailure(error, url);
    });
    if (receiver.isPart?.(answer) === true) return answer;
    const failure =
      answer.status < 200 || answer.status > 299 ? answer : receiver.readFailure?.(answer);
    if (failure !== undefined) throw classifyHttpAnswer(failure, clock.now(), receiver);
    return answer;
  };
}
