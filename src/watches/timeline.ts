/** `timeline`: what accounts post, followed by their stable id. */
import { z } from "zod";
import { tweetMessage } from "../render/tweet-message.ts";
import { accountsSchema, accountTargets, requireUserId } from "./accounts-schema.ts";
import type { WatchType } from "./watch-type.ts";

const schema = z.strictObject({ accounts: accountsSchema });

type Settings = z.output<typeof schema>;

export const timeline: WatchType<Settings> = {
  type: "timeline",
  summary: "New tweets by the accounts named.",
  schema,
  example: `type: timeline
accounts: [alice, "id:44196397", "https://x.com/bob"]
include: { replies: false, retweets: true, quotes: true }
schedule: "* * * * *"`,
  body: { tweet: "tweet" },
  events: ["tweet.created"],
  endpoints: ["user-tweets"],
  include: { reply: false, quote: true, retweet: false },
  detection: { detector: "feed", event: "tweet.created" },
  targets: ({ accounts }) => accountTargets(accounts),
  source: (_settings, target) => ({ endpoint: "user-tweets", params: { user_id: requireUserId(target) } }),
  caveats: () => [],
  costRequests: () => 1,
  read: tweetMessage,
};
