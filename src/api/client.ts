/**
 * The data service as a typed library for programs, with one method for each row of the endpoint
 * table. The daemon uses upstream.ts instead. The client does not retry and does not limit the
 * rate.
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
  /**
   * The API key, or a function that returns it. The function is called for every request, so that a
   * new key takes effect at once.
   */
  readonly key: string | (() => string);
  readonly http: Http;
  /** The deadline for one request from connecting to the whole answer. Default: 30 s. */
  readonly timeoutMs?: number;
}

/**
 * Every operation of the service as a method, named after its path: `/search-tweets` is
 * `searchTweets`, `/new-followers-7d` is `newFollowers7d`. A paged operation returns a list that
 * requests nothing until it is iterated. Other operations return a promise.
 *
 * Inputs are checked before anything is sent: an ApiInputError names the wrong parameter, and
 * nothing was billed. Every later failure is an UpstreamError: its `kind` says what happened, and
 * its `retry` whether another attempt can help. The client itself does not retry.
 */
export type Client = MethodsOf<typeof ENDPOINTS>;

/** Creates a client. @throws ChirpwatchError API_BASE_URL if the address cannot be used */
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
        cursor,
        signal,
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

/** Returns the method name of an operation: `search-tweets` becomes `searchTweets`. */
export const methodName = (name: string): string =>
  name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
