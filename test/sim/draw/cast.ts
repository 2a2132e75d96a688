/**
 * The accounts, posts and places of a simulated world, and the conditions that watches set. Each
 * condition comes with its meaning as a plain function, which the checks use.
 */

/** A post as conditions see it. */
export interface PostView {
  readonly by: string;
  readonly text: string;
  readonly kind: "post" | "reply" | "quote" | "retweet";
  readonly lang: string;
}

/**
 * The accounts that post. Watches follow the first five; the others are only found by searches and
 * the like.
 */
export const AUTHORS = [
  "anna0",
  "boris1",
  "clara2",
  "dan3",
  "edda4",
  "felix5",
  "gerda6",
  "hugo7",
] as const;
export const WATCHED = AUTHORS.slice(0, 5);

/** The accounts that follow, join and leave. They never post. */
export const FANS = ["fan0", "fan1", "fan2", "fan3", "fan4", "fan5", "fan6", "fan7"] as const;

export const WORDS = ["acme", "bolt", "crane", "delta", "ember"] as const;
export const LANGUAGES = ["en", "en", "en", "de", "ja"] as const;

/** Texts of strangers that must arrive as harmless text. They contain no token. */
export const ODD_TEXTS = [
  "",
  "",
  "",
  "",
  "@everyone look",
  "<!channel> <@U123>",
  "*bold* _it_ `code` [a](b)",
  "\u202eevil\u202c",
  "👩‍👩‍👧‍👦👍🏽",
  "a\n# b\n> c",
  "& < > &amp;",
];

interface Condition {
  readonly text: string;
  readonly holds: (post: PostView) => boolean;
}

const has = (text: string, word: string): boolean =>
  text
    .toLowerCase()
    .split(/[^a-z0-9_#@$]+/)
    .includes(word);

/** Queries in the platform's search language. */
export const QUERIES: readonly Condition[] = [
  { text: "acme", holds: ({ text }) => has(text, "acme") },
  { text: "bolt", holds: ({ text }) => has(text, "bolt") },
  { text: '"crane delta"', holds: ({ text }) => /\bcrane delta\b/.test(text) },
  { text: "crane -delta", holds: ({ text }) => has(text, "crane") && !has(text, "delta") },
  {
    text: "(acme OR ember) -from:edda4",
    holds: ({ text, by }) => (has(text, "acme") || has(text, "ember")) && by !== "edda4",
  },
  { text: "from:anna0", holds: ({ by }) => by === "anna0" },
  { text: "#launch", holds: ({ text }) => has(text, "#launch") },
  { text: "@boris1", holds: ({ text }) => has(text, "@boris1") },
  { text: "delta lang:de", holds: ({ text, lang }) => has(text, "delta") && lang === "de" },
];

/** The word in the posts of bursts, which no other query finds. */
export const BURST_WORD = "catchup";
/** The author of bursts. No watch follows it. */
export const BURST_AUTHOR = "hugo7";
export const BURST_QUERIES: readonly Condition[] = [
  { text: BURST_WORD, holds: ({ text }) => has(text, BURST_WORD) },
  {
    text: `${BURST_WORD} from:${BURST_AUTHOR}`,
    holds: ({ text, by }) => has(text, BURST_WORD) && by === BURST_AUTHOR,
  },
];

/** Expressions of `where` over a tweet. */
export const CONDITIONS: readonly Condition[] = [
  { text: 'tweet.lang == "en"', holds: ({ lang }) => lang === "en" },
  { text: 'tweet.lang in ["de", "ja"]', holds: ({ lang }) => lang === "de" || lang === "ja" },
  { text: 'tweet.full_text.contains("bolt")', holds: ({ text }) => text.includes("bolt") },
  {
    text: '!tweet.full_text.contains("acme") || tweet.is_reply',
    holds: ({ text, kind }) => !text.includes("acme") || kind === "reply",
  },
  {
    text: 'tweet.full_text.contains("& <") || tweet.is_reply',
    holds: ({ text, kind }) => text.includes("& <") || kind === "reply",
  },
  { text: 'tweet.user.username != "clara2"', holds: ({ by }) => by !== "clara2" },
];

/** Files of authors and words to ignore, as lists of lines. */
export const IGNORE_FILES: Readonly<Record<string, readonly string[]>> = {
  "ignored.txt": ["clara2", "@dan3"],
  "words.txt": ["delta", "giveaway"],
};

export const LIST_ID = "1400000000000000001";
export const COMMUNITY_ID = "1500000000000000001";
/** The list and the community that fans join and leave. */
export const FAN_LIST_ID = "1400000000000000002";
export const FAN_COMMUNITY_ID = "1500000000000000002";
/** Fans with a badge. */
export const VERIFIED_FANS: readonly string[] = FANS.slice(0, 4);
/** A query that profiles of watched accounts come to match. */
export const USER_QUERY = "hiring";
export const WOEID = 1;
export const TRENDS = ["Lunch", "Rain", "Chess", "Bread", "Tea", "Snow", "R&D"] as const;
/** The post that carries an article. */
export const ARTICLE_POST = "article0";
/** Posts whose counts change, and which are deleted. */
export const COUNTED_POSTS = ["counted0", "counted1"] as const;
/** Posts that replies and quotes are about. They exist from the beginning. */
export const ROOT_POSTS = ["root0", "root1"] as const;

/** Returns a placeholder in a configuration for the id of the named post. */
export const postRef = (name: string): string => `%post:${name}%`;
/** A placeholder in a configuration for the id of the only Space. */
export const SPACE_REF = "%space:room%";
/** Returns a placeholder in a configuration for the id of the account with that handle. */
export const userRef = (handle: string): string => `%user:${handle}%`;
