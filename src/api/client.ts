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
import { createPaged, type Page, type Paged } from "./paged.ts";
import { createUpstream } from "./upstream.ts";

export interface ClientOptions {
  /** `https://host`, or `http://` on loopback. */
  readonly baseUrl: string;
  readonly key: string | (() => string);
  readonly http: Http;
  /** Total deadline of one request. Default: 30 s. */
  readonly timeoutMs?: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** Exactly one of these inputs, whichever it is. */
type OneOf<Inputs, Names extends string> = {
  [Name in Names]: { [K in Name & keyof Inputs]-?: Exclude<Inputs[K], undefined> } & { [K in Exclude<Names, Name>]?: never };
}[Names];
type AllGroups<Inputs, Groups> = Groups extends readonly [infer First extends readonly string[], ...infer Rest]
  ? OneOf<Inputs, First[number]> & AllGroups<Inputs, Rest>
  : unknown;
type Grouped<Groups> = Groups extends readonly [infer First extends readonly string[], ...infer Rest]
  ? First[number] | Grouped<Rest>
  : never;
type GroupsOf<Row> = Row extends { readonly exactlyOne: infer Groups } ? Groups : readonly [];

/** The inputs of an endpoint, its groups of alternatives included. */
export type ParamsOf<Name extends EndpointName> = (typeof ENDPOINTS)[Name] extends infer Row extends Endpoint
  ? Omit<z.input<Row["input"]>, Grouped<GroupsOf<Row>>> & AllGroups<z.input<Row["input"]>, GroupsOf<Row>>
  : never;

/** One item of a page, or the whole answer. */
export type ResultOf<Name extends EndpointName> = ReturnType<(typeof ENDPOINTS)[Name]["answer"]["read"]>;

type AnswerOf<Name extends EndpointName> = (typeof ENDPOINTS)[Name] extends { readonly cursor: object }
  ? Paged<ResultOf<Name>>
  : Promise<(typeof ENDPOINTS)[Name]["answer"]["kind"] extends "record" ? ResultOf<Name> : readonly ResultOf<Name>[]>;

type Method<Name extends EndpointName> =
  Record<never, never> extends ParamsOf<Name>
    ? (params?: ParamsOf<Name>, options?: CallOptions) => AnswerOf<Name>
    : (params: ParamsOf<Name>, options?: CallOptions) => AnswerOf<Name>;

type Camel<Text extends string> = Text extends `${infer Head}-${infer Tail}` ? `${Head}${Camel<Capitalize<Tail>>}` : Text;

/** `search-tweets` is `searchTweets`, `new-followers-7d` is `newFollowers7d`. Paged endpoints give a list to iterate over, others a promise. */
export type Client = { readonly [Name in EndpointName as Camel<Name>]: Method<Name> };

/** Every operation as a method. Methods throw UpstreamError; ApiInputError before anything is sent. */
export function createClient(options: ClientOptions): Client {
  const { key, ...rest } = options;
  const upstream = createUpstream({ ...rest, key: typeof key === "string" ? () => key : key });
  const methods = Object.entries(ENDPOINTS).map(([name, endpoint]) => [camel(name), methodOf(upstream, name, endpoint)]);
  return Object.fromEntries(methods) as Client;
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

const camel = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
