/**
 * `tweet`: what happens to tweets: counts that cross a threshold, and deletion. A hundred tweets
 * share a request.
 */
import { z } from "zod";
import { BATCH_SIZE } from "../model/batch.ts";
import type { ReadingRule } from "../detect/reading.ts";
import { lazy } from "../model/lazy.ts";
import { tweetChangeMessage } from "../render/messages/tweet-change-message.ts";
import { REARM_SHARE, thresholdsOf, WHEN_TEXT, whenSchema } from "./thresholds-schema.ts";
import { tweetSchema } from "./tweet-schema.ts";
import type { WatchType } from "./watch-type.ts";

const COUNTS = {
  likes_count: "Likes",
  retweet_count: "Retweets",
  reply_count: "Replies",
  quote_count: "Quotes",
  bookmark_count: "Bookmarks",
  view_count: "Views",
};

const schema = lazy(() =>
  z
    .strictObject({
      tweets: z
        .array(tweetSchema)
        .min(1, "tweets is empty: name at least one tweet")
        .describe("Tweets by id, in quotes, or by link."),
      when: whenSchema(COUNTS).optional().describe(WHEN_TEXT),
      deleted: z
        .boolean()
        .default(true)
        .describe("Whether an alert is raised when the tweet is deleted or no longer public."),
    })
    .refine(({ when, deleted }) => when !== undefined || deleted, {
      message: "nothing to report: name a count under when, or leave deleted at true",
      path: ["deleted"],
    }),
);

type Settings = z.output<ReturnType<typeof schema>>;

const rule = ({ when, deleted }: Settings): ReadingRule => ({
  name: "tweet",
  isWhole: true,
  // The language of a tweet never changes. It is read so that a tweet without thresholds has a
  // value to remember as well.
  fields: ["lang", ...thresholdsOf(when).map(({ name }) => name)],
  crossing: { event: "tweet.threshold", thresholds: thresholdsOf(when), rearm: REARM_SHARE },
  ...(deleted ? { gone: { event: "tweet.deleted" } } : {}),
});

export const tweet: WatchType<Settings> = {
  type: "tweet",
  summary: "Tweets whose counts crossed a threshold, and tweets that were deleted.",
  schema,
  example: `type: tweet
tweets: ["https://x.com/acme/status/2029911223344556677"]
when: { likes_count: ">= 1000", view_count: "every 100000" }
schedule: "@every 5m"`,
  body: {
    tweet: "tweet",
    previous: Object.fromEntries(Object.keys(COUNTS).map((name) => [name, "int"])),
    crossed: "texts",
  },
  events: ["tweet.threshold", "tweet.deleted"],
  endpoints: ["tweet-info-bulk"],
  include: { reply: false, quote: false, retweet: false },
  detection: { detector: "reading", rule },
  targets: ({ tweets }) => [...new Set(tweets)].map((id) => ({ key: id, name: id })),
  source: (_settings, { key }) => ({
    endpoint: "tweet-info-bulk",
    params: {},
    batch: { param: "tweet_links", value: key, size: BATCH_SIZE },
  }),
  caveats: () => [
    "a tweet counts as deleted after two answers in a row without it: one that became private, or whose author was suspended, looks the same",
  ],
  costRequests: () => 1,
  read: tweetChangeMessage,
};
