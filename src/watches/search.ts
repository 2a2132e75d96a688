/** `search`: tweets that match a query of the platform's search language, newest first. */
import { z } from "zod";
import { parseQuery } from "../query/parse.ts";
import { QueryError } from "../query/query-error.ts";
import { tweetMessage } from "../render/tweet-message.ts";
import type { WatchType } from "./watch-type.ts";

const schema = z.strictObject({
  query: z
    .string()
    .trim()
    .min(1, "query is empty: write what to search for")
    .superRefine((text, context) => {
      const problem = problemOf(text);
      if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
    })
    .describe("What to search for, in the platform's search language."),
});

/** Checked here, because the service answers a query it cannot read with something else, and bills it. */
function problemOf(text: string): string | undefined {
  if (text === "") return undefined;
  try {
    parseQuery(text);
    return undefined;
  } catch (error) {
    if (error instanceof QueryError)
      return `${error.message}: ${error.hint.charAt(0).toLowerCase()}${error.hint.slice(1).replace(/\.$/, "")}`;
    throw error;
  }
}

type Settings = z.output<typeof schema>;

export const search: WatchType<Settings> = {
  type: "search",
  summary: "New tweets that match a search.",
  schema,
  example: `type: search
query: '("acme corp" OR @acme) -from:acme'
schedule: "@every 5m"`,
  body: { tweet: "tweet" },
  events: ["tweet.created"],
  endpoints: ["search-tweets"],
  include: { reply: true, quote: true, retweet: false },
  detection: { detector: "feed", event: "tweet.created" },
  targets: ({ query }, _watchId, fingerprint) => [{ key: fingerprint(searchSource(query)), name: query }],
  // The service's default order is popular; only latest shows what is new (api-field-notes.md section 1).
  source: ({ query }) => searchSource(query),
  caveats: () => ["tweets of accounts that the service's search does not show"],
  costRequests: () => 1,
  read: tweetMessage,
};

const searchSource = (query: string) => ({ endpoint: "search-tweets", params: { query, order: "latest" }, boundParam: "query" });
