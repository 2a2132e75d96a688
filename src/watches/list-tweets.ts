/**
 * `list_tweets`: what the members of a public list post, up to five thousand accounts in one
 * request.
 */
import { z } from "zod";
import { lazy } from "../model/lazy.ts";
import { tweetMessage } from "../render/messages/tweet-message.ts";
import { listSchema } from "./list-schema.ts";
import type { WatchType } from "./watch-type.ts";

const schema = lazy(() => z.strictObject({ list: listSchema }));

type Settings = z.output<ReturnType<typeof schema>>;

export const listTweets: WatchType<Settings> = {
  type: "list_tweets",
  summary: "New tweets by the members of a public list.",
  schema,
  example: `type: list_tweets
list: "1388742069157900291"
schedule: "@every 2m"`,
  body: { tweet: "tweet" },
  events: ["tweet.created"],
  endpoints: ["list-tweets"],
  include: { reply: false, quote: true, retweet: false },
  detection: { detector: "feed", event: "tweet.created" },
  targets: ({ list }) => [{ key: list, name: list }],
  source: ({ list }) => ({ endpoint: "list-tweets", params: { list_id: list } }),
  caveats: () => ["accounts that the list's owner removes from it"],
  costRequests: () => 1,
  read: tweetMessage,
};
