/** Random queries and tweets over a small vocabulary, so that they often match. */
import fc from "fast-check";
import type { Tweet } from "../../src/model/tweet.ts";
import type { Query } from "../../src/query/query.ts";

const WORDS = ["acme", "corp", "down", "new"] as const;
const HANDLES = ["acme", "alice", "bob"] as const;

const term: fc.Arbitrary<Query> = fc.oneof(
  fc.constantFrom(...WORDS).map((text): Query => ({ kind: "word", text })),
  fc
    .tuple(fc.constantFrom(...WORDS), fc.constantFrom(...WORDS))
    .map(([a, b]): Query => ({ kind: "phrase", text: `${a} ${b}` })),
  fc.constantFrom(...HANDLES).map((text): Query => ({ kind: "mention", text })),
  fc.constantFrom("tag", "ship").map((text): Query => ({ kind: "hashtag", text })),
  fc.constantFrom("btc", "eth").map((text): Query => ({ kind: "cashtag", text })),
  fc.constantFrom(...HANDLES).map((handle): Query => ({ kind: "from", handle })),
  fc.constantFrom(...HANDLES).map((handle): Query => ({ kind: "to", handle })),
  fc.constantFrom("en", "de").map((lang): Query => ({ kind: "lang", lang })),
  fc.nat(20).map((count): Query => ({ kind: "min_faves", count })),
  fc.nat(2_000).map((seconds): Query => ({ kind: "since_time", count: 1_700_000_000 + seconds })),
  fc.nat(2_000).map((seconds): Query => ({ kind: "until_time", count: 1_700_000_000 + seconds })),
  fc
    .nat(2_000)
    .map((n): Query => ({ kind: "max_id", id: String(9_007_199_254_740_993_000n + BigInt(n)) })),
  fc
    .nat(2_000)
    .map((n): Query => ({ kind: "since_id", id: String(9_007_199_254_740_993_000n + BigInt(n)) })),
  fc
    .constantFrom("replies" as const, "links" as const, "images" as const)
    .map((filter): Query => ({ kind: "filter", filter })),
  fc.constant<Query>({ kind: "since", date: "2023-11-14_22:20:00_UTC" }),
  fc.constant<Query>({ kind: "within_time", count: 15, unit: "m" }),
  fc.constant<Query>({ kind: "url", text: "example.com" }),
);

export const anyQuery: fc.Arbitrary<Query> = fc.letrec<{ query: Query }>((tie) => ({
  query: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    term,
    fc
      .tuple(
        fc.constantFrom("and" as const, "or" as const),
        fc.array(tie("query"), { minLength: 2, maxLength: 4 }),
      )
      .map(([kind, of]): Query => ({ kind, of })),
    tie("query").map((of): Query => ({ kind: "not", of })),
  ),
})).query;

export const anyTweet: fc.Arbitrary<Tweet> = fc
  .record({
    words: fc.array(
      fc.constantFrom(...WORDS, "@acme", "@bob", "#tag", "$BTC", "https://example.com/a"),
      { maxLength: 6 },
    ),
    author: fc.constantFrom(...HANDLES),
    to: fc.constantFrom("", ...HANDLES),
    lang: fc.constantFrom("en", "de"),
    likes: fc.nat(20),
    seconds: fc.nat(2_000),
    n: fc.nat(2_000),
    photo: fc.boolean(),
  })
  .map((made) =>
    makeTweet({
      id: String(9_007_199_254_740_993_000n + BigInt(made.n)),
      full_text: made.words.join(" "),
      lang: made.lang,
      likes_count: made.likes,
      created_at: new Date((1_700_000_000 + made.seconds) * 1_000).toISOString(),
      in_reply_to_username: made.to,
      in_reply_to_tweet_id: made.to === "" ? "" : "1",
      is_reply: made.to !== "",
      entities: made.photo
        ? [{ link: "https://images.example/1.jpg", preview: "", type: "photo" }]
        : [],
      username: made.author,
    }),
  );

/** Returns a plain tweet with the given differences. */
export function makeTweet(differences: Partial<Tweet> & { readonly username?: string }): Tweet {
  const { username = "alice", ...rest } = differences;
  return {
    id: "1",
    full_text: "",
    created_at: "2023-11-14T22:13:20.000Z",
    lang: "en",
    conversation_id_str: "1",
    entities: [],
    is_reply: false,
    in_reply_to_tweet_id: "",
    in_reply_to_username: "",
    is_quote_status: false,
    likes_count: 0,
    retweet_count: 0,
    reply_count: 0,
    quote_count: 0,
    bookmark_count: 0,
    view_count: 0,
    user: {
      id: `10${username.length}`,
      username,
      display_name: username === "bob" ? "Bob New" : "Someone",
      description: "",
      bio_urls: [],
      created_at: "2020-01-01T00:00:00.000Z",
      favourites_count: 0,
      followers_count: 0,
      followings_count: 0,
      media_count: 0,
      tweets_count: 0,
      pinned_tweet_ids: [],
      profile_image_url: "",
      protected: false,
      verified: false,
    },
    ...rest,
  };
}
