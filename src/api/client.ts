/**
 * The data service as a typed library: one method per row of the endpoint table, derived from it.
 * For programs; the daemon itself goes through upstream.ts alone. Nothing is retried and nothing is
 * paced here.
 */
import type { Http } from "../model/http.ts";
import type { JsonObject } from "../model/json.ts";
import type { Upstream, UpstreamAnswer } from "../model/upstream.ts";
import { ENDPOINTS } from "./endpoints/index.ts";
import type { Endpoint } from "./endpoint.ts";
import type { CallOptions, MethodsOf } from "./operations.ts";
import { createPaged, type Page } from "./paged.ts";
import { createUpstream } from "./upstream.ts";

export interface ClientOptions {
  /** `https://host`, or `http://` on loopback. */
  readonly baseUrl: string;
  /** A function is asked for every request, so that a new key counts at once. */
  readonly key: string | (() => string);
  readonly http: Http;
  /** Total deadline of one request. Default: 30 s. */
  readonly timeoutMs?: number;
}

/**
 * Every operation of the service as a method, named as its path: `/search-tweets` is
 * `searchTweets`, `/new-followers-7d` is `newFollowers7d`. Paged operations give a list to iterate
 * over, which asks for nothing until then; others give a promise.
 *
 * Inputs are checked before anything is sent: ApiInputError names the parameter, and nothing was
 * billed. Whatever goes wrong after that is an UpstreamError, whose `kind` says what and whose
 * `retry` says whether it can help to try again. Nothing is retried here.
 */
export type Client = MethodsOf<typeof ENDPOINTS>;

/** @throws ChirpwatchError API_BASE_URL when the address cannot be used. */
export function createClient(options: ClientOptions): Client {
  const { key, ...rest } = options;
  const upstream = createUpstream({ ...rest, key: typeof key === "string" ? () => key : key });
  const methods = Object.entries(ENDPOINTS).map(([name, endpoint]) => [
    methodName(name),
    methodOf(upstream, name, endpoint),
  ]);
  return Object.fromEntries(methods) as Client;
}

function methodOf(upstream: Upstream, name: string, endpoint: Endpoint) {
  return (params: JsonObject = {}, { signal }: CallOptions = {}) => {
    const call = (cursor?: string) =>
      upstream.call({
        endpoint: name,
        params,
        ...(cursor !== undefined && { cursor }),
        ...(signal !== undefined && { signal }),
      });
    return endpoint.cursor === undefined
      ? call().then(contentOf)
      : createPaged(async (cursor) => toPage(await call(cursor)));
  };
}

const contentOf = (answer: UpstreamAnswer) => answer.record ?? answer.tweets ?? answer.users;

function toPage(answer: UpstreamAnswer): Page<unknown> {
  const items =
    answer.record === undefined ? (answer.tweets ?? answer.users ?? []) : [answer.record];
  return answer.nextCursor === undefined ? { items } : { items, nextCursor: answer.nextCursor };
}

/** The method of an operation: `search-tweets` is `searchTweets`. */
export const methodName = (name: string): string =>
  name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
