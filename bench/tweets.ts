/** Makes tweets in large numbers, about as large as real ones. */
import type { Tweet } from "../src/model/tweet.ts";

const PLATFORM_EPOCH_MS = 1_288_834_974_657n;
const TEXT =
  "The new release is out: faster, smaller, and it finally reads the whole configuration before it starts. What do you think of it? ";

let last = 0n;

/** Returns an id for the present time that is larger than every id before. */
function nextId(): bigint {
  const id = (BigInt(Date.now()) - PLATFORM_EPOCH_MS) << 22n;
  last = id > last ? id : last + 1n;
  return last;
}

/** Makes tweets, newest first as the service answers. */
export const makeTweets = (count: number): readonly Tweet[] =>
  Array.from({ length: count }, makeTweet).reverse();

function makeTweet(): Tweet {
  const id = String(nextId());
  return {
    id,
    full_text: TEXT + id,
    created_at: new Date().toISOString(),
    lang: "en",
    conversation_id_str: id,
    entities: [
      {
        link: "https://example.com/release",
        preview: "https://example.com/preview.png",
        type: "photo",
      },
    ],
    is_reply: false,
    in_reply_to_tweet_id: "",
    in_reply_to_username: "",
    is_quote_status: false,
    likes_count: 3,
    retweet_count: 1,
    reply_count: 0,
    quote_count: 0,
    bookmark_count: 0,
    view_count: 120,
    user: {
      id: "44196397",
      username: "alice",
      display_name: "Alice of the bench",
      description: "Writes about releases, mostly her own.",
      bio_urls: ["https://example.com"],
      created_at: "2020-03-06T13:38:49.000Z",
      favourites_count: 1_234,
      followers_count: 5_678,
      followings_count: 321,
      media_count: 45,
      tweets_count: 9_012,
      pinned_tweet_ids: [],
      profile_image_url: "https://example.com/alice.png",
      protected: false,
      verified: false,
    },
  };
}
