/**
 * Changes answers where the real service differs from its documents (docs/service.md section 2):
 * some endpoints send dates in an older format, and some empty arrays are sent as null.
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

/** Returns a date in the older format, such as `Fri Mar 06 13:38:49 +0000 2026`. */
function oldDate(iso: string): string {
  const [, day, month, year, time] =
    /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(new Date(iso).toUTCString()) ?? [];
  return `${new Date(iso).toUTCString().slice(0, 3)} ${month} ${day} ${time} +0000 ${year}`;
}

/** Returns the answer with the deviations that this endpoint has in the real service. */
export function withWireQuirks(endpoint: string, answer: Answer): Answer {
  const hasOldDates = OLD_DATES.has(endpoint);
  const hasNulls = endpoint !== "info";
  const changed = (value: Json | undefined, name: string): Json | undefined => {
    if (Array.isArray(value))
      return hasNulls && value.length === 0 && NULL_WHEN_EMPTY.has(name)
        ? null
        : value.map((item) => changed(item, "") as Json);
    if (value !== null && typeof value === "object")
      return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, changed(inner, key)]),
      );
    return hasOldDates && name === "created_at" && typeof value === "string"
      ? oldDate(value)
      : value;
  };
  return { ...answer, body: changed(answer.body, "") as Answer["body"] };
}
