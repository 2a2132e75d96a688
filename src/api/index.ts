/**
 * `chirpwatch/api`: the data service as a library.
 *
 * ```ts
 * const client = createClient({ baseUrl: "https://api.example.com", key, http: createHttpAgent() });
 * const user = await client.info({ username: "alice" });
 * for await (const tweet of client.searchTweets({ query: "acme", order: "latest" })) console.log(tweet.full_text);
 * ```
 */
export { type Accounts, fetchTweets, fetchUsers } from "./batches.ts";
export { type BaseUrl, type BaseUrlProblem, checkBaseUrl } from "./base-url.ts";
export { ApiInputError } from "./check-input.ts";
export { type CallOptions, type Client, type ClientOptions, createClient, type ParamsOf, type ResultOf } from "./client.ts";
export type { Endpoint } from "./endpoint.ts";
export { ENDPOINTS, type EndpointName } from "./endpoints/index.ts";
export type { Page, Paged } from "./paged.ts";
export { createUpstream, type UpstreamOptions } from "./upstream.ts";
export { ChirpwatchError } from "../model/errors.ts";
export { type Http, HttpError } from "../model/http.ts";
export type { Tweet, TweetEntity } from "../model/tweet.ts";
export { type Upstream, type UpstreamAnswer, UpstreamError, type UpstreamFailure, type UpstreamRequest } from "../model/upstream.ts";
export type { User } from "../model/user.ts";
