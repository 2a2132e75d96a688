/** Normalises the answer of /trends: the trends of one place. */
import type { JsonObject } from "../../model/json.ts";
import type { Raw } from "../read-value.ts";
import { requiredListOf, recordOf, text } from "./answer-object.ts";

/** A trend (api-v3.md, "Trend"). */
export interface Trend extends JsonObject {
  readonly name: string;
  /** The query that finds the trend's tweets with /search-tweets. */
  readonly query: string;
  readonly url: string;
}

/** The answer of /trends. */
export interface Trends extends JsonObject {
  /** The trends in the service's order, the strongest first. */
  readonly trends: readonly Trend[];
}

const trend: (raw: Raw) => Trend = recordOf({ name: text, query: text, url: text });

export const readTrends: (raw: Raw) => Trends = recordOf({ trends: requiredListOf(trend) });
