/**
 * Schemas of the tweets and articles that the service sends, in both versions of the API.
 * normalise/tweet.ts, article.ts and legacy.ts read the data.
 */
import { z } from "zod";
import { integer, digits, listOutput, pageOutput, timeText } from "./atoms.ts";
import { userOutput } from "./users.ts";

const entities = z
  .array(
    z.looseObject({
      link: z.string(),
      preview: z.string(),
      type: z.string().describe("photo, video, animated_gif, url: an open set"),
    }),
  )
  .nullable();

/** The fields of a tweet that have the same names in API versions 2 and 3. */
const common = () => ({
  full_text: z.string(),
  created_at: timeText,
  lang: z.string(),
  conversation_id_str: digits.describe("The thread's root"),
  entities,
  is_reply: z.boolean(),
  in_reply_to_username: z.string().nullish(),
  is_quote_status: z.boolean(),
  is_replies_limited: z.boolean(),
  retweet_count: integer,
  reply_count: integer,
  quote_count: integer,
  bookmark_count: integer,
  view_count: integer,
});

const fields = () => ({
  ...common(),
  id: digits,
  in_reply_to_tweet_id: z.string().nullish(),
  likes_count: integer,
  user: userOutput,
});

type Lazy = z.ZodType<Readonly<Record<string, unknown>>>;

/** A tweet in a list or inside another tweet (api-v3.md, "Tweet"). */
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

/**
 * The answer of /tweet-info. According to api-v3.md, it contains neither `made_with_ai` nor
 * `paid_partnership`.
 */
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

export const tweetPage = pageOutput("tweets", tweetOutput);
export const tweetList = listOutput("tweets", tweetOutput);

/** The answer of /article (api-v3.md, "Article"). */
export const articleOutput = z.lazy(() =>
  z
    .looseObject({
      author: userOutput,
      bookmark_count: integer,
      cover_image_url: z.string(),
      favorite_count: integer,
      full_text: z.string(),
      preview_text: z.string(),
      published_at: timeText,
      quote_count: integer,
      reply_count: integer,
      retweet_count: integer,
      views: integer,
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
      friends_count: integer,
      statuses_count: integer,
    })
    .meta({ id: "LegacyUser" }),
);

const legacyEmbedded = z.lazy(() =>
  z
    .looseObject({
      created_at: timeText,
      favorite_count: integer,
      full_text: z.string(),
      id_str: digits,
      quote_count: integer,
      retweet_count: integer,
      user: legacyUser,
    })
    .meta({ id: "LegacyEmbeddedTweet" }),
);

/** A page of tweets from API version 2 (api-v3.md, "Versioning"). */
export const legacyPage = pageOutput(
  "tweets",
  z.lazy(() =>
    z
      .looseObject({
        ...common(),
        id_str: digits,
        favorite_count: integer,
        in_reply_to_status_id_str: z.string().nullish(),
        user: legacyUser,
        quoted_status: legacyEmbedded.optional(),
        retweeted_status: legacyEmbedded.optional(),
      })
      .meta({ id: "LegacyTweet" }),
  ),
);
