/**
 * The table of every endpoint: one row each, by name. A new endpoint is one row; the client's
 * method and its types follow from it.
 */
import type { Endpoint } from "../endpoint.ts";
import { lookupEndpoints } from "./lookups.ts";
import { placeEndpoints } from "./places.ts";
import { scoreEndpoints } from "./scores.ts";
import { tweetEndpoints } from "./tweets.ts";
import { userEndpoints } from "./users.ts";

/** Every operation of v3, and the timeline of v2. */
export const ENDPOINTS = {
  ...userEndpoints,
  ...tweetEndpoints,
  ...placeEndpoints,
  ...scoreEndpoints,
  ...lookupEndpoints,
} as const;

/** Its parts. */
export interface EndpointTables {
  readonly users: typeof userEndpoints;
  readonly tweets: typeof tweetEndpoints;
  readonly places: typeof placeEndpoints;
  readonly scores: typeof scoreEndpoints;
  readonly lookups: typeof lookupEndpoints;
}

export type EndpointName = keyof typeof ENDPOINTS;

/** The row of a name; undefined when there is none. */
export const findEndpoint = (name: string): Endpoint | undefined =>
  Object.hasOwn(ENDPOINTS, name) ? ENDPOINTS[name as EndpointName] : undefined;
