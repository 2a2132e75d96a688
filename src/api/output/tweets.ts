/** Tweets and articles as the service sends them, v2 included. Read by normalise/tweet.ts, article.ts and legacy.ts. */
import { z } from "zod";
import { count, digits, listOf, pageOf, time } from "./atoms.ts";
import { userOutput } from "./users.ts";

const entities = z
  .array(
    z.looseObject({ link: z.string(), preview: z.string(), type: z.string().describe("photo, video, animated_gif, url: an open set") }),
  )
  .nullable();

/** What v2 names as v3 does. */
const common = () => ({
  full_text: z.string(),
  created_at: time,
  lang: z.string(),
  conversation_id_str: digits.describe("The thread's root"),
  entities,
  is_reply: z.boolean(),
  in_reply_to_username: z.string().nullish(),
  is_quote_status: z.boolean(),
  is_replies_limited: z.boolean(),
  retweet_count: count,
  reply_count: count,
  quote_count: count,
  bookmark_count: count,
  view_count: count,
});

const fields = () => ({ ...common(), id: digits, in_reply_to_tweet_id: z.string().nullish(), likes_count: count, user: userOutput });

type Lazy = z.ZodType<Readonly<Record<string, unknown>>>;

/** api-v3.md "Tweet". */
export const tweetOutput: Lazy = z.lazy(() =>
  z
    .looseObject({
      ...fields(),
      made_with_ai: z.boolean().optional().describe("In lists only"),
      paid_partnership: z.boolean().optional().describe("In lists only"),
      quoted_status: tweetOutput.optional(),
      retweeted_status: tweetOutput.optional(),
    })
    .meta({ id: "Tweet" }),
);

/** /tweet-info: api-v3.md says it has neither made_with_ai nor paid_partnership. */
export const tweetInfoOutput: Lazy = z.lazy(() =>
  z
    .looseObject({
      ...fields(),
      made_with_ai: z.never().optional(),
      paid_partnership: z.never().optional(),
      quoted_status: tweetOutput.optional(),
      retweeted_status: tweetOutput.optional(),
    })
    .meta({ id: "SingleTweet" }),
);

export const tweetPage = pageOf("tweets", tweetOutput);
export const tweetList = listOf("tweets", tweetOutput);

/** api-v3.md "Article". */
export const articleOutput = z.lazy(() =>
  z
    .looseObject({
      author: userOutput,
      bookmark_count: count,
      cover_image_url: z.string(),
      favorite_count: count,
      full_text: z.string(),
      preview_text: z.string(),
      published_at: time,
      quote_count: count,
      reply_count: count,
      retweet_count: count,
      views: count,
    })
    .meta({ id: "Article" }),
);

const legacyUser = z.lazy(() =>
  z
    .looseObject({
      id_str: digits,
      screen_name: z.string(),
      name: z.string(),
      avatar: z.string(),
      friends_count: count,
      statuses_count: count,
    })
    .meta({ id: "LegacyUser" }),
);

const legacyEmbedded = z.lazy(() =>
  z
    .looseObject({
      created_at: time,
      favorite_count: count,
      full_text: z.string(),
      id_str: digits,
      quote_count: count,
      retweet_count: count,
      user: legacyUser,
    })
    .meta({ id: "LegacyEmbeddedTweet" }),
);

/** A page of v2: api-v3.md "Versioning". */
export const legacyPage = pageOf(
  "tweets",
  z.lazy(() =>
    z
      .looseObject({
        ...common(),
        id_str: digits,
        favorite_count: count,
        in_reply_to_status_id_str: z.string().nullish(),
        user: legacyUser,
        quoted_status: legacyEmbedded.optional(),
        retweeted_status: legacyEmbedded.optional(),
      })
      .meta({ id: "LegacyTweet" }),
  ),
);
