/** `community_tweets`: posts in a community. A pinned post can come back on every page; the feed detector expects it. */
import { z } from "zod";
import { tweetMessage } from "../render/tweet-message.ts";
import type { WatchType } from "./watch-type.ts";

const schema = z.strictObject({
  community: z
    .string()
    .transform((text) => /(?:^|\/communities\/)(\d+)\/?(?:[?#].*)?$/.exec(text.trim())?.[1] ?? "")
    .refine((id) => id !== "", 'not a community: write its id in quotes ("1493446837214187523") or its link')
    .describe("The community's id, in quotes, or its link."),
});

type Settings = z.output<typeof schema>;

export const communityTweets: WatchType<Settings> = {
  type: "community_tweets",
  summary: "New posts in a community.",
  schema,
  example: `type: community_tweets
community: "1493446837214187523"
schedule: "*/10 * * * *"`,
  body: { tweet: "tweet" },
  events: ["tweet.created"],
  endpoints: ["community-tweets"],
  include: { reply: true, quote: true, retweet: false },
  detection: { detector: "feed", event: "tweet.created" },
  targets: ({ community }) => [{ key: community, name: community }],
  source: ({ community }) => ({ endpoint: "community-tweets", params: { community_id: community, order: "latest" } }),
  caveats: () => [],
  costRequests: () => 1,
  read: tweetMessage,
};
