/**
 * The data service behind the Upstream port: one call is one HTTP request and one classified
 * outcome, never retried. The table in endpoints/ says what is sent and how it is read; budget,
 * retries and paging belong to the engine.
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

/** A page of 200 profiles is 0.3 MB; anything near this is a fault or an attack. */
const MAX_ANSWER_BYTES = 16 * 1_048_576;
const DEFAULT_TIMEOUT_MS = 30_000;

export interface UpstreamOptions {
  readonly http: Http;
  /** `https://host`, or `http://` on loopback; see checkBaseUrl. */
  readonly baseUrl: string;
  /**
   * Asked for every request, so that a new key counts at once; by the name the request brings,
   * where there are several.
   */
  readonly key: (name?: string) => string;
  /** Total deadline of one request. Default: 30 s. */
  readonly timeoutMs?: number;
}

/** @throws ChirpwatchError API_BASE_URL when the address cannot be used. */
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
        return understand(endpoint, answer, request.cursor);
      } catch (error) {
        throw aboutRequest(error, request.endpoint, key);
      }
    },
  };
}

function understand(
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
 * The error as the middle sees it: it names the endpoint, and the key in it is gone should the
 * service have echoed it.
 */
function aboutRequest(error: unknown, endpoint: string, key: string): UpstreamError {
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
