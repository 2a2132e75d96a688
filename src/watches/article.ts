/** `article`: a long-form article that was edited, or whose counts crossed a threshold. */
import { z } from "zod";
import type { ReadingRule } from "../detect/reading.ts";
import { lazy } from "../model/lazy.ts";
import { articleMessage } from "../render/messages/article-message.ts";
import { REARM_SHARE, thresholdsOf, WHEN_TEXT, whenSchema } from "./thresholds-schema.ts";
import { tweetSchema } from "./tweet-schema.ts";
import type { WatchType } from "./watch-type.ts";

const TEXTS = ["full_text", "preview_text", "cover_image_url"];
const COUNTS = {
  favorite_count: "Likes",
  retweet_count: "Retweets",
  reply_count: "Replies",
  quote_count: "Quotes",
  bookmark_count: "Bookmarks",
  views: "Views",
};

const schema = lazy(() =>
  z.strictObject({
    tweet: tweetSchema.describe(
      "The tweet that carries the article: its id, in quotes, or its link.",
    ),
    when: whenSchema(COUNTS).optional().describe(WHEN_TEXT),
  }),
);

type Settings = z.output<ReturnType<typeof schema>>;

const rule = ({ when }: Settings): ReadingRule => ({
  name: "article",
  isWhole: true,
  fields: [...TEXTS, ...thresholdsOf(when).map(({ name }) => name)],
  // An article never becomes empty, so an empty text means that the service did not send it.
  unknown: [""],
  account: "author",
  changes: { event: "article.changed", fields: TEXTS },
  crossing: { event: "article.changed", thresholds: thresholdsOf(when), rearm: REARM_SHARE },
});

const typed = (names: readonly string[], type: string) =>
  Object.fromEntries(names.map((name) => [name, type]));
const VALUES = { ...typed(TEXTS, "string"), ...typed(Object.keys(COUNTS), "int") };

export const article: WatchType<Settings> = {
  type: "article",
  summary: "An article that was edited, or whose counts crossed a threshold.",
  schema,
  example: `type: article
tweet: "https://x.com/acme/status/2029911223344556677"
when: { views: "every 10000" }
schedule: "@every 15m"`,
  body: {
    user: "user",
    article: { ...VALUES, published_at: "string" },
    previous: VALUES,
    crossed: "texts",
    changed: "texts",
  },
  events: ["article.changed"],
  endpoints: ["article"],
  include: { reply: false, quote: false, retweet: false },
  detection: { detector: "reading", rule },
  targets: ({ tweet }) => [{ key: tweet, name: tweet }],
  source: ({ tweet }) => ({ endpoint: "article", params: { tweet_link: tweet } }),
  caveats: () => ["an edit that was undone between two polls", "a cover that was removed"],
  costRequests: () => 1,
  read: articleMessage,
};
