/** The table of every endpoint: one row each, by name. A new endpoint is one row here, and its method in operations/. */
import type { Endpoint } from "../endpoint.ts";
import { lookupEndpoints } from "./lookups.ts";
import { placeEndpoints } from "./places.ts";
import { scoreEndpoints } from "./scores.ts";
import { tweetEndpoints } from "./tweets.ts";
import { userEndpoints } from "./users.ts";

/** Every operation of v3, and the timeline of v2. */
export const ENDPOINTS = { ...userEndpoints, ...tweetEndpoints, ...placeEndpoints, ...scoreEndpoints, ...lookupEndpoints } as const;

export type EndpointName = keyof typeof ENDPOINTS;

/** The row of a name; undefined when there is none. */
export const findEndpoint = (name: string): Endpoint | undefined =>
  Object.hasOwn(ENDPOINTS, name) ? ENDPOINTS[name as EndpointName] : undefined;
