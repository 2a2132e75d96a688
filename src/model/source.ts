/** What is asked of the data service: a declarative request that many watches can share. */
import { canonicalJson, type Hash } from "./hash.ts";
import type { JsonObject } from "./json.ts";

export interface Source {
  /** Name of a row of the endpoint table in api/, e.g. `search-tweets`. */
  readonly endpoint: string;
  /** Inputs without cursor and without time bounds. */
  readonly params: JsonObject;
  /** The parameter that understands `since_time:` and `until_time:`, where the endpoint has one. */
  readonly boundParam?: string;
}

/** The same for identical requests: endpoint and parameters, time bounds left out. */
export const fingerprintOf = (hash: Hash, source: Source): string => hash(`${source.endpoint}\n${canonicalJson(source.params)}`);
