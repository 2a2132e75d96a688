/** `retweets`: what accounts repost, without their other posts. */
import { z } from "zod";
import { lazy } from "../model/lazy.ts";
import { tweetMessage } from "../render/messages/tweet-message.ts";
import { accountsSchema, accountTargets, requireUserId } from "./accounts-schema.ts";
import type { WatchType } from "./watch-type.ts";

const schema = lazy(() => z.strictObject({ accounts: accountsSchema }));

type Settings = z.output<ReturnType<typeof schema>>;

export const retweets: WatchType<Settings> = {
  type: "retweets",
  summary: "New retweets by the named accounts.",
  schema,
  example: `type: retweets
accounts: [acme, alice]
schedule: "@every 10m"`,
  body: { tweet: "tweet" },
  events: ["tweet.created"],
  endpoints: ["user-retweets"],
  include: { reply: false, quote: false, retweet: true },
  detection: { detector: "feed", event: "tweet.created" },
  targets: ({ accounts }) => accountTargets(accounts),
  source: (_settings, target) => ({
    endpoint: "user-retweets",
    params: { user_id: requireUserId(target) },
  }),
  caveats: () => [],
  costRequests: () => 1,
  read: tweetMessage,
};
