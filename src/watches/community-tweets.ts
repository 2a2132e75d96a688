/**
 * `community_tweets`: posts in a community. A pinned post can be repeated on every page, which the
 * feed detector expects.
 */
import { z } from "zod";
import { lazy } from "../model/lazy.ts";
import { tweetMessage } from "../render/messages/tweet-message.ts";
import { communitySchema } from "./community-schema.ts";
import type { WatchType } from "./watch-type.ts";

const schema = lazy(() => z.strictObject({ community: communitySchema }));

type Settings = z.output<ReturnType<typeof schema>>;

export const communityTweets: WatchType<Settings> = {
  type: "community_tweets",
  summary: "New posts in a community.",
  schema,
  example: `type: community_tweets
community: "1493446837214187523"
schedule: "*/10 * * * *"`,
  body: { tweet: "tweet" },
  events: ["tweet.created"],
  endpoints: ["community-tweets"],
  include: { reply: true, quote: true, retweet: false },
  detection: { detector: "feed", event: "tweet.created" },
  targets: ({ community }) => [{ key: community, name: community }],
  source: ({ community }) => ({
    endpoint: "community-tweets",
    params: { community_id: community, order: "latest" },
  }),
  caveats: () => [],
  costRequests: () => 1,
  read: tweetMessage,
};
