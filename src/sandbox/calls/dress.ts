/**
 * Makes answers look as the real service's do rather than as documented (docs/service.md section
 * 2): some endpoints send the older date format, and empty arrays arrive as null.
 */
import type { Json } from "../../model/json.ts";
import type { Answer } from "./call.ts";

const OLD_DATES: ReadonlySet<string> = new Set([
  "search-tweets",
  "user-tweets",
  "community-tweets",
  "list-tweets",
  "followers",
  "new-followers-7d",
]);
const NULL_WHEN_EMPTY: ReadonlySet<string> = new Set(["bio_urls", "pinned_tweet_ids", "entities"]);

/** `Fri Mar 06 13:38:49 +0000 2026`. */
function oldDate(iso: string): string {
  const [, day, month, year, time] =
    /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(new Date(iso).toUTCString()) ?? [];
  return `${new Date(iso).toUTCString().slice(0, 3)} ${month} ${day} ${time} +0000 ${year}`;
}

/** The answer of this endpoint with its quirks. */
export function dressAnswer(endpoint: string, answer: Answer): Answer {
  const hasOldDates = OLD_DATES.has(endpoint);
  const hasNulls = endpoint !== "info";
  const dress = (value: Json | undefined, name: string): Json | undefined => {
    if (Array.isArray(value))
      return hasNulls && value.length === 0 && NULL_WHEN_EMPTY.has(name)
        ? null
        : value.map((item) => dress(item, "") as Json);
    if (value !== null && typeof value === "object")
      return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, dress(inner, key)]),
      );
    return hasOldDates && name === "created_at" && typeof value === "string"
      ? oldDate(value)
      : value;
  };
  return { ...answer, body: dress(answer.body, "") as Answer["body"] };
}
