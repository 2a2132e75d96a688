/** `community_search`: posts in a community that match a query, the latest first. */
import { z } from "zod";
import { lazy } from "../model/lazy.ts";
import { tweetMessage } from "../render/messages/tweet-message.ts";
import { communitySchema } from "./community-schema.ts";
import { querySchema } from "./query-schema.ts";
import type { WatchType } from "./watch-type.ts";

const schema = lazy(() => z.strictObject({ community: communitySchema, query: querySchema }));

type Settings = z.output<ReturnType<typeof schema>>;

/**
 * Returns the source. Its query gets no time bounds: it is not documented whether this endpoint
 * understands them, and a bound that it does not understand would make it find nothing.
 */
const sourceOf = ({ community, query }: Settings) => ({
  endpoint: "community-search-tweets",
  params: { community_link: community, query, order: "latest" },
});

export const communitySearch: WatchType<Settings> = {
  type: "community_search",
  summary: "New posts in a community that match a search.",
  schema,
  example: `type: community_search
community: "1493446837214187523"
query: '"acme corp" OR launch'
schedule: "*/10 * * * *"`,
  body: { tweet: "tweet" },
  events: ["tweet.created"],
  endpoints: ["community-search-tweets"],
  include: { reply: true, quote: true, retweet: false },
  detection: { detector: "feed", event: "tweet.created" },
  // A changed query is a new target with its own baseline, so posts that match it already raise no
  // alerts.
  targets: (settings, _watchId, fingerprint) => [
    { key: fingerprint(sourceOf(settings)), name: settings.query },
  ],
  source: sourceOf,
  caveats: () => ["posts that the service's search does not show"],
  costRequests: () => 1,
  read: tweetMessage,
};
