/** What is asked of the data service: a declarative request that many watches can share. */
import { canonicalJson, type Hash } from "./hash.ts";
import type { JsonObject } from "./json.ts";
import type { TargetState } from "./watch-store.ts";

export interface Source {
  /** Name of a row of the endpoint table in api/, e.g. `search-tweets`. */
  readonly endpoint: string;
  /** Inputs without cursor and without time bounds. */
  readonly params: JsonObject;
  /** The parameter that understands `since_time:` and `until_time:`, where the endpoint has one. */
  readonly boundParam?: string;
  /**
   * Where the answer mixes accounts: only what the account of this id posted is the target's. No
   * part of the request.
   */
  readonly author?: string;
  /**
   * The one entry this target adds to a parameter that takes many: up to `size` targets then share
   * a request.
   */
  readonly batch?: BatchEntry;
}

export interface BatchEntry {
  /** `user_ids`, `tweet_links`. */
  readonly param: string;
  /** The id by which the answer's entry is found again. */
  readonly value: string;
  /** Entries of one request (api-v3.md, Limits). */
  readonly size: number;
}

/** What a source is made from. */
export type SourceTarget = Pick<TargetState, "key" | "userId" | "memory"> &
  Partial<Pick<TargetState, "username">>;

/** The same for identical requests: endpoint, parameters and batch entry, time bounds left out. */
export const fingerprintOf = (hash: Hash, source: Source): string =>
  hash(
    `${source.endpoint}\n${canonicalJson(source.params)}${source.batch === undefined ? "" : `\n${source.batch.param}=${source.batch.value}`}`,
  );
