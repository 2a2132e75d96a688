/** A request to the data service, in a declarative form that many watches can share. */
import { canonicalJson, type Hash } from "./hash.ts";
import type { JsonObject } from "./json.ts";
import type { TargetState } from "./watch-store.ts";

export interface Source {
  /** The name of a row of the endpoint table in api/, e.g. `search-tweets`. */
  readonly endpoint: string;
  /** The inputs, without cursor and time bounds. */
  readonly params: JsonObject;
  /** The parameter that understands `since_time:` and `until_time:`, if the endpoint has one. */
  readonly boundParam?: string;
  /**
   * The id of the account whose posts belong to the target, if the answer contains posts of other
   * accounts too. It is not part of the request.
   */
  readonly author?: string;
  /**
   * The entry that this target adds to a parameter with many entries. Up to `size` targets then
   * share a request.
   */
  readonly batch?: BatchEntry;
}

export interface BatchEntry {
  /** The name of the parameter: `user_ids` or `tweet_links`. */
  readonly param: string;
  /** The id by which the entry is found in the answer. */
  readonly value: string;
  /** The maximum number of entries in one request (api-v3.md, Limits). */
  readonly size: number;
}

/** The parts of a target from which its source is made. */
export type SourceTarget = Pick<TargetState, "key" | "userId" | "memory"> &
  Partial<Pick<TargetState, "username">>;

/**
 * Returns a text that is the same for identical requests: endpoint, parameters and batch entry,
 * without time bounds.
 */
export const fingerprintOf = (hash: Hash, source: Source): string =>
  hash(
    `${source.endpoint}\n${canonicalJson(source.params)}${source.batch === undefined ? "" : `\n${source.batch.param}=${source.batch.value}`}`,
  );
