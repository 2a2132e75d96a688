/** Trends of a place: what they become. */
import type { JsonObject } from "../../model/json.ts";
import type { Raw } from "../read-value.ts";
import { promisedListOf, recordOf, text } from "./answer-object.ts";

/** api-v3.md "Trend". */
export interface Trend extends JsonObject {
  readonly name: string;
  /** Finds the tweets of the trend with /search-tweets. */
  readonly query: string;
  readonly url: string;
}

/** Answer of /trends. */
export interface Trends extends JsonObject {
  /** In the service's order, the first being the loudest. */
  readonly trends: readonly Trend[];
}

const trend: (raw: Raw) => Trend = recordOf({ name: text, query: text, url: text });

export const readTrends: (raw: Raw) => Trends = recordOf({ trends: promisedListOf(trend) });
