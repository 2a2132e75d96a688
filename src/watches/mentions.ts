/**
 * `mentions`: tweets that mention accounts, the latest first. With `min_likes`, `min_replies` and
 * `min_retweets`, the service leaves out tweets with lower counts.
 */
import { z } from "zod";
import { lazy } from "../model/lazy.ts";
import { tweetMessage } from "../render/messages/tweet-message.ts";
import { accountsSchema, accountTargets, requireHandle } from "./accounts-schema.ts";
import type { WatchType } from "./watch-type.ts";

const minimum = (what: string) =>
  z
    .int(`write a whole number of ${what}`)
    .min(1, `write a number of ${what} of at least 1, or remove it`)
    .optional();

const schema = lazy(() =>
  z.strictObject({
    accounts: accountsSchema,
    min_likes: minimum("likes").describe("Only mentions with at least this many likes."),
    min_replies: minimum("replies").describe("Only mentions with at least this many replies."),
    min_retweets: minimum("retweets").describe("Only mentions with at least this many retweets."),
  }),
);

type Settings = z.output<ReturnType<typeof schema>>;

export const mentions: WatchType<Settings> = {
  type: "mentions",
  summary: "New tweets that mention the named accounts.",
  schema,
  example: `type: mentions
accounts: [acme]
min_likes: 5
overlap: 6h
schedule: "@every 10m"`,
  body: { tweet: "tweet" },
  events: ["tweet.created"],
  endpoints: ["mentions"],
  include: { reply: true, quote: true, retweet: false },
  detection: { detector: "feed", event: "tweet.created" },
  needsHandle: true,
  targets: ({ accounts }) => accountTargets(accounts),
  source: ({ accounts: _, ...minimums }, target) => ({
    endpoint: "mentions",
    params: { query: requireHandle(target), order: "latest", ...minimums },
  }),
  caveats(settings) {
    const hasMinimum = [settings.min_likes, settings.min_replies, settings.min_retweets].some(
      (least) => least !== undefined,
    );
    const late =
      "a mention that reaches its minimum later than `overlap` after it was posted is found only while it is on the first page";
    const renamed =
      "the account's handle is looked up every 6 hours (100 accounts a request): after a rename that no other watch of the account sees, mentions are late by up to that long, and until then mentions of a new owner of the old handle raise alerts";
    return [
      ...(hasMinimum ? [late] : []),
      renamed,
      "tweets of accounts that the service's search does not show",
    ];
  },
  costRequests: () => 1,
  read: tweetMessage,
};
