/**
 * The table of all endpoints, one row each. To add an endpoint, add a row; the client's method and
 * its types are derived from it.
 */
import type { Endpoint } from "../endpoint.ts";
import { lookupEndpoints } from "./lookups.ts";
import { placeEndpoints } from "./places.ts";
import { scoreEndpoints } from "./scores.ts";
import { tweetEndpoints } from "./tweets.ts";
import { userEndpoints } from "./users.ts";

/** All operations of v3, and the timeline operation of v2. */
export const ENDPOINTS = {
  ...userEndpoints,
  ...tweetEndpoints,
  ...placeEndpoints,
  ...scoreEndpoints,
  ...lookupEndpoints,
} as const;

/** The types of the table's parts, from which the client's methods are derived group by group. */
export interface EndpointTables {
  readonly users: typeof userEndpoints;
  readonly tweets: typeof tweetEndpoints;
  readonly places: typeof placeEndpoints;
  readonly scores: typeof scoreEndpoints;
  readonly lookups: typeof lookupEndpoints;
}

export type EndpointName = keyof typeof ENDPOINTS;

/** Returns the row of an endpoint; undefined if there is none. */
export const findEndpoint = (name: string): Endpoint | undefined =>
  Object.hasOwn(ENDPOINTS, name) ? ENDPOINTS[name as EndpointName] : undefined;
