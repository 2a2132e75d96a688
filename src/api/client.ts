/**
 * The data service as a typed library: one method per row of the endpoint table, derived from it. For programs; the daemon itself
 * goes through upstream.ts alone. Nothing is retried and nothing is paced here.
 */
import type { z } from "zod";
import type { Http } from "../model/http.ts";
import type { JsonObject } from "../model/json.ts";
import type { Upstream, UpstreamAnswer } from "../model/upstream.ts";
import { ENDPOINTS, type EndpointName } from "./endpoints/index.ts";
import type { Endpoint } from "./endpoint.ts";
import type { LookupOperations } from "./operations/lookups.ts";
import type { PlaceOperations } from "./operations/places.ts";
import type { ScoreOperations } from "./operations/scores.ts";
import type { CallOptions } from "./operations/shared-inputs.ts";
import type { TweetOperations } from "./operations/tweets.ts";
import type { UserOperations } from "./operations/users.ts";
import { createPaged, type Page, type Paged } from "./paged.ts";
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
 * Every operation of the service as a method, named as its path: `/search-tweets` is `searchTweets`, `/new-followers-7d` is
 * `newFollowers7d`. Paged operations give a list to iterate over, which asks for nothing until then; others give a promise.
 *
 * Inputs are checked before anything is sent: ApiInputError names the parameter, and nothing was billed. Whatever goes wrong after that is
 * an UpstreamError, whose `kind` says what and whose `retry` says whether it can help to try again. Nothing is retried here.
 */
export interface Client extends UserOperations, TweetOperations, PlaceOperations, ScoreOperations, LookupOperations {}

export type Camel<Text extends string> = Text extends `${infer Head}-${infer Tail}` ? `${Head}${Camel<Capitalize<Tail>>}` : Text;
type AnswerOf<Row extends Endpoint> = Row extends { readonly cursor: object } ? Paged<ItemOf<Row>> : Promise<WholeOf<Row>>;
type ItemOf<Row extends Endpoint> = ReturnType<Row["answer"]["read"]>;
type WholeOf<Row extends Endpoint> = Row["answer"]["kind"] extends "record" ? ItemOf<Row> : readonly ItemOf<Row>[];

/** Arrays may be read-only. */
type Sent<Inputs> = { readonly [Name in keyof Inputs]: Inputs[Name] extends string[] | undefined ? readonly string[] : Inputs[Name] };

/** What the table makes of its rows. That a Client is one holds the written types and the table together. */
type Methods = {
  readonly [Name in EndpointName as Camel<Name>]: (
    params?: Sent<z.input<(typeof ENDPOINTS)[Name]["input"]>>,
    options?: CallOptions,
  ) => AnswerOf<(typeof ENDPOINTS)[Name]>;
};

/** @throws ChirpwatchError API_BASE_URL when the address cannot be used. */
export function createClient(options: ClientOptions): Client {
  const { key, ...rest } = options;
  const upstream = createUpstream({ ...rest, key: typeof key === "string" ? () => key : key });
  const methods = Object.entries(ENDPOINTS).map(([name, endpoint]) => [methodName(name), methodOf(upstream, name, endpoint)]);
  return Object.fromEntries(methods) as Methods;
}

function methodOf(upstream: Upstream, name: string, endpoint: Endpoint) {
  return (params: JsonObject = {}, { signal }: CallOptions = {}) => {
    const call = (cursor?: string) =>
      upstream.call({ endpoint: name, params, ...(cursor !== undefined && { cursor }), ...(signal !== undefined && { signal }) });
    return endpoint.cursor === undefined ? call().then(contentOf) : createPaged(async (cursor) => toPage(await call(cursor)));
  };
}

const contentOf = (answer: UpstreamAnswer) => answer.record ?? answer.tweets ?? answer.users;

function toPage(answer: UpstreamAnswer): Page<unknown> {
  const items = answer.record === undefined ? (answer.tweets ?? answer.users ?? []) : [answer.record];
  return answer.nextCursor === undefined ? { items } : { items, nextCursor: answer.nextCursor };
}

/** The method of an operation: `search-tweets` is `searchTweets`. */
export const methodName = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
