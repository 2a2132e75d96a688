/** `retweeters`: who reposts one tweet, the newest first. */
import { z } from "zod";
import { lazy } from "../model/lazy.ts";
import { rosterMessage } from "../render/messages/roster-message.ts";
import { fullReadShape } from "./placing-schema.ts";
import { tweetSchema } from "./tweet-schema.ts";
import type { WatchType } from "./watch-type.ts";

const schema = lazy(() =>
  z.strictObject({
    tweet: tweetSchema.describe(
      "The tweet whose retweeters to report: its id, in quotes, or its link.",
    ),
    ...fullReadShape,
  }),
);

type Settings = z.output<ReturnType<typeof schema>>;

export const retweeters: WatchType<Settings> = {
  type: "retweeters",
  summary: "Accounts that retweet a tweet.",
  schema,
  example: `type: retweeters
tweet: "https://x.com/acme/status/2029911223344556677"
where: 'user.followers_count >= 10000'
schedule: "@every 5m"`,
  body: { user: "user", retweeted: { id: "string" } },
  events: ["retweeter.added"],
  endpoints: ["retweeters"],
  include: { reply: false, quote: false, retweet: false },
  detection: {
    detector: "roster",
    rule: ({ tweet }) => ({
      joined: "retweeter.added",
      mode: "newest",
      about: { retweeted: { id: tweet } },
    }),
  },
  targets: ({ tweet }) => [{ key: tweet, name: tweet }],
  source: ({ tweet }) => ({ endpoint: "retweeters", params: { tweet_link: tweet } }),
  caveats: () => ["who undoes a retweet, and when a retweet was made: the service gives no date"],
  placing: ({ full_read_every: everyMs }) =>
    everyMs === undefined ? {} : { fullReadEveryMs: everyMs },
  costRequests: () => 1,
  read: rosterMessage,
};
