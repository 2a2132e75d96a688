/** `replies`: answers to one tweet, the newest first. */
import { z } from "zod";
import { lazy } from "../model/lazy.ts";
import { tweetMessage } from "../render/messages/tweet-message.ts";
import { tweetSchema } from "./tweet-schema.ts";
import type { WatchType } from "./watch-type.ts";

const schema = lazy(() =>
  z.strictObject({
    tweet: tweetSchema.describe(
      "The tweet whose replies to report: its id, in quotes, or its link.",
    ),
  }),
);

type Settings = z.output<ReturnType<typeof schema>>;

export const replies: WatchType<Settings> = {
  type: "replies",
  summary: "New replies to a tweet.",
  schema,
  example: `type: replies
tweet: "https://x.com/acme/status/2029911223344556677"
schedule: "@every 2m"`,
  body: { tweet: "tweet" },
  events: ["tweet.created"],
  endpoints: ["comments"],
  include: { reply: true, quote: true, retweet: false },
  detection: { detector: "feed", event: "tweet.created" },
  targets: ({ tweet }) => [{ key: tweet, name: tweet }],
  // The service's default order is Relevance; only Recency shows new replies (docs/service.md
  // section 1).
  source: ({ tweet }) => ({
    endpoint: "comments",
    params: { tweet_link: tweet, order_by: "Recency" },
  }),
  caveats: () => ["replies to replies, and replies that the service hides"],
  costRequests: () => 1,
  read: tweetMessage,
};
