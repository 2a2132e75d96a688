/** `search`: tweets that match a query of the platform's search language, newest first. */
import { z } from "zod";
import { lazy } from "../model/lazy.ts";
import { tweetMessage } from "../render/messages/tweet-message.ts";
import { placingOf, sharingShape } from "./placing-schema.ts";
import { querySchema } from "./query-schema.ts";
import type { WatchType } from "./watch-type.ts";

const schema = lazy(() => z.strictObject({ query: querySchema, ...sharingShape }));

type Settings = z.output<ReturnType<typeof schema>>;

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
  targets: ({ query }, _watchId, fingerprint) => [
    { key: fingerprint(searchSource(query)), name: query },
  ],
  source: ({ query }) => searchSource(query),
  placing: placingOf,
  caveats: () => ["tweets of accounts that the service's search does not show"],
  costRequests: () => 1,
  read: tweetMessage,
};

/**
 * Returns the source of a query. The service's default order is `popular`; only `latest` shows new
 * tweets (docs/service.md section 1).
 */
const searchSource = (query: string) => ({
  endpoint: "search-tweets",
  params: { query, order: "latest" },
  boundParam: "query",
});
