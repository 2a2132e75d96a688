/** `quotes`: tweets that quote one tweet. */
import { z } from "zod";
import { lazy } from "../model/lazy.ts";
import { tweetMessage } from "../render/messages/tweet-message.ts";
import { tweetSchema } from "./tweet-schema.ts";
import type { WatchType } from "./watch-type.ts";

const schema = lazy(() =>
  z.strictObject({
    tweet: tweetSchema.describe(
      "The tweet whose quotes to report: its id, in quotes, or its link.",
    ),
  }),
);

type Settings = z.output<ReturnType<typeof schema>>;

export const quotes: WatchType<Settings> = {
  type: "quotes",
  summary: "New tweets that quote a tweet.",
  schema,
  example: `type: quotes
tweet: "https://x.com/acme/status/2029911223344556677"
schedule: "@every 5m"`,
  body: { tweet: "tweet" },
  events: ["tweet.created"],
  endpoints: ["quotes"],
  include: { reply: true, quote: true, retweet: false },
  detection: { detector: "feed", event: "tweet.created" },
  targets: ({ tweet }) => [{ key: tweet, name: tweet }],
  source: ({ tweet }) => ({ endpoint: "quotes", params: { tweet_link: tweet } }),
  caveats: () => [
    "the service does not say in which order it lists quotes: one listed below a page of older ones is found late or not at all",
  ],
  costRequests: () => 1,
  read: tweetMessage,
};
