/**
 * Implements the port `Upstream`: one call makes one HTTP request, classifies its outcome, and
 * never retries. The table in endpoints/ defines what is sent and how the answer is read. requests/
 * and polling/ decide about budget, retries and paging.
 */
import { ChirpwatchError } from "../model/errors.ts";
import type { Http, HttpResponse } from "../model/http.ts";
import {
  type Upstream,
  type UpstreamAnswer,
  UpstreamError,
  type UpstreamRequest,
} from "../model/upstream.ts";
import { type BaseUrl, checkBaseUrl } from "./base-url.ts";
import { ApiInputError, checkInput } from "./check-input.ts";
import { classifyAnswer, classifyNoAnswer } from "./classify.ts";
import type { Endpoint } from "./endpoint.ts";
import { findEndpoint } from "./endpoints/index.ts";
import { readAnswer } from "./read-answer.ts";
import { writeRequest } from "./write-request.ts";

/**
 * The maximum size of an answer. A page of 200 profiles has 0.3 MB, so a larger answer is a fault
 * or an attack.
 */
const MAX_ANSWER_BYTES = 16 * 1_048_576;
const DEFAULT_TIMEOUT_MS = 30_000;

export interface UpstreamOptions {
  readonly http: Http;
  /** `https://host`, or `http://` on loopback; see checkBaseUrl. */
  readonly baseUrl: string;
  /**
   * Returns the API key. The function is called for every request, so that a new key is used
   * immediately. `name` says which of several keys the request uses.
   */
  readonly key: (name?: string) => string;
  /** The deadline for one request from connecting to the whole answer. Default: 30 s. */
  readonly timeoutMs?: number;
}

/** Creates the upstream. @throws ChirpwatchError API_BASE_URL if the address cannot be used */
export function createUpstream(options: UpstreamOptions): Upstream {
  const base = usableBaseUrl(options.baseUrl);
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  return {
    call: async (request) => {
      const endpoint = findEndpoint(request.endpoint);
      if (endpoint === undefined)
        throw new ApiInputError(request.endpoint, "endpoint", "there is no such endpoint");
      const params = checkInput(request.endpoint, endpoint, request.params);
      const key = options.key(request.keyName);
      const message = writeRequest({ base, key }, endpoint, params, request.cursor);
      try {
        const answer = await options.http.request({
          ...message,
          timeoutMs,
          maxBytes: MAX_ANSWER_BYTES,
          ...signalOf(request),
        });
        return readResponse(endpoint, answer, request.cursor);
      } catch (error) {
        throw withContext(error, request.endpoint, key);
      }
    },
  };
}

function readResponse(
  endpoint: Endpoint,
  answer: HttpResponse,
  sentCursor: string | undefined,
): UpstreamAnswer {
  const serviceTimeMs = readServiceTime(answer);
  if (answer.status < 200 || answer.status > 299) throw classifyAnswer(answer, serviceTimeMs);
  const read = readAnswer(endpoint, answer.body, answer.status, sentCursor);
  return serviceTimeMs === undefined ? read : { ...read, serviceTimeMs };
}

function readServiceTime(answer: HttpResponse): number | undefined {
  const epochMs = Date.parse(answer.headers["date"] ?? "");
  return Number.isNaN(epochMs) ? undefined : epochMs;
}

const signalOf = (request: UpstreamRequest): { readonly signal?: AbortSignal } =>
  request.signal === undefined ? {} : { signal: request.signal };

/**
 * Returns the error with the endpoint in its message. Removes the key from the message, because the
 * service may have repeated the key in its answer.
 */
function withContext(error: unknown, endpoint: string, key: string): UpstreamError {
  const known = error instanceof UpstreamError ? error : classifyNoAnswer(error);
  const text = key === "" ? known.message : known.message.replaceAll(key, "[redacted]");
  return new UpstreamError(known.kind, `${endpoint}: ${text}`, known.status, {
    retry: known.retry,
    hint: known.hint,
    cause: known.cause,
    fields: { ...known.fields, endpoint },
  });
}

function usableBaseUrl(text: string): BaseUrl {
  const base = checkBaseUrl(text);
  if ("problem" in base)
    throw new ChirpwatchError("API_BASE_URL", base.problem, { hint: base.hint });
  return base;
}
