/**
 * `timeline`: what accounts post, followed by their stable id, from their own timelines or through
 * a public list that contains them.
 */
import { z } from "zod";
import { lazy } from "../model/lazy.ts";
import type { Source } from "../model/source.ts";
import type { TargetState } from "../model/watch-store.ts";
import { tweetMessage } from "../render/messages/tweet-message.ts";
import { accountsSchema, accountTargets, requireUserId } from "./accounts-schema.ts";
import { listSchema } from "./list-schema.ts";
import { accountsPlacingOf, placingShape } from "./placing-schema.ts";
import type { WatchType } from "./watch-type.ts";

const schema = lazy(() =>
  z.strictObject({
    accounts: accountsSchema,
    via_list: listSchema
      .optional()
      .describe(
        "A public list that contains the accounts: one request per tick for up to 5,000 of them. Accounts that it lacks are reported and read from their own timelines.",
      ),
    ...placingShape,
  }),
);

type Settings = z.output<ReturnType<typeof schema>>;

/**
 * Returns the source: the list named in `via_list`, or else the account's own timeline. The engine
 * checks whether the list contains the account, and stores the result in the target's memory. Until
 * then, the list is assumed to contain it.
 */
function source(
  { via_list: list }: Settings,
  target: Pick<TargetState, "key" | "userId" | "memory">,
): Source {
  const userId = requireUserId(target);
  if (list === undefined || target.memory["list"] === "out")
    return { endpoint: "user-tweets", params: { user_id: userId } };
  return { endpoint: "list-tweets", params: { list_id: list }, author: userId };
}

export const timeline: WatchType<Settings> = {
  type: "timeline",
  summary: "New tweets by the named accounts.",
  schema,
  example: `type: timeline
accounts: [alice, "id:44196397", "https://x.com/bob"]
include: { replies: false, retweets: true, quotes: true }
schedule: "* * * * *"`,
  body: { tweet: "tweet" },
  events: ["tweet.created"],
  endpoints: ["user-tweets", "info-batch", "search-tweets", "list-tweets", "list-members"],
  include: { reply: false, quote: true, retweet: false },
  detection: { detector: "feed", event: "tweet.created" },
  targets: ({ accounts }) => accountTargets(accounts),
  source,
  placing: accountsPlacingOf,
  viaList: ({ via_list: list }) => list,
  caveats: ({ via_list: list }) =>
    list === undefined
      ? []
      : [
          "what the service leaves out of list timelines; an account taken off the list is detected within a day",
        ],
  probeFields: ["tweets_count", "media_count", "pinned_tweet_ids"],
  costRequests: () => 1,
  read: tweetMessage,
};
