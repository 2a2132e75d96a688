/** `list_tweets`: what the members of a public list post, up to five thousand accounts in one request. */
import { z } from "zod";
import { tweetMessage } from "../../../src/render/tweet-message.ts";
import type { WatchType } from "../../../src/watches/watch-type.ts";

const schema = z.strictObject({
  list: z.string().regex(/^\d+$/, 'not a list: write its id in quotes, like "1493446837214187523"').describe("The list's id, in quotes."),
});

type Settings = z.output<typeof schema>;

export const listTweets: WatchType<Settings> = {
  type: "list_tweets",
  summary: "New tweets by the members of a list.",
  schema,
  example: `type: list_tweets
list: "1493446837214187523"
schedule: "@every 2m"`,
  body: { tweet: "tweet" },
  events: ["tweet.created"],
  endpoints: ["list-tweets"],
  include: { reply: false, quote: true, retweet: false },
  detection: { detector: "feed", event: "tweet.created" },
  targets: ({ list }) => [{ key: list, name: list }],
  source: ({ list }) => ({ endpoint: "list-tweets", params: { list_id: list } }),
  caveats: () => ["accounts that left the list"],
  costRequests: () => 1,
  read: tweetMessage,
};
