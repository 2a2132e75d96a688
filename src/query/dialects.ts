/**
 * Explains operators of other search languages, which this language reads as words: says what to
 * write instead, or that there is no equivalent. Most of the operators belong to the platform's own
 * API, whose language differs from that of the platform's search.
 */

/** Operators that have another name in this language and take the same value. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ["after", "since"],
  ["author", "from"],
  ["before", "until"],
  ["domain", "url"],
  ["in_reply_to_status_id", "conversation_id"],
  ["in_reply_to_tweet_id", "conversation_id"],
  ["language", "lang"],
  ["list_id", "list"],
  ["min_likes", "min_faves"],
  ["min_reposts", "min_retweets"],
  ["quotes_of_tweet_id", "quoted_tweet_id"],
  ["site", "url"],
  ["url_contains", "url"],
  ["user", "from"],
]);

/** Whole terms that become another whole term. */
const TRANSLATED: ReadonlyMap<string, string> = new Map([
  ["has:hashtags", "filter:hashtags"],
  ["has:images", "filter:images"],
  ["has:links", "filter:links"],
  ["has:media", "filter:media"],
  ["has:mentions", "filter:mentions"],
  ["has:video_link", "filter:videos"],
  ["has:videos", "filter:videos"],
  ["include:retweets", "include:nativeretweets"],
  ["is:quote", "filter:quote"],
  ["is:reply", "filter:replies"],
  ["is:verified", "filter:verified"],
]);

/** Operators that are written as a sign before their value. */
const SIGNS: ReadonlyMap<string, string> = new Map([
  ["cashtag", "$"],
  ["hashtag", "#"],
  ["mention", "@"],
  ["mentions", "@"],
]);

/**
 * The field to test in a watch's `where` condition, for operators that the service cannot search
 * by.
 */
const CONDITIONS: ReadonlyMap<string, string> = new Map([
  ["bio", "tweet.user.description"],
  ["bio_location", "tweet.user.location"],
  ["bio_name", "tweet.user.display_name"],
  ["followers_count", "tweet.user.followers_count"],
  ["following_count", "tweet.user.followings_count"],
  ["min_quotes", "tweet.quote_count"],
  ["min_views", "tweet.view_count"],
  ["tweets_count", "tweet.user.tweets_count"],
]);

/** Names of operators in other languages that have no equivalent in this one. */
const UNANSWERABLE: ReadonlySet<string> = new Set([
  ...[
    "bounding_box",
    "card_name",
    "context",
    "embedding",
    "entity",
    "from_affiliate_of",
    "geocode",
    "has",
    "is",
    "listed_count",
    "near",
  ],
  ...[
    "place",
    "place_country",
    "point_radius",
    "retweets_of",
    "retweets_of_user",
    "sample",
    "source",
    "url_description",
    "url_title",
  ],
]);

/** Matches `name:value`, but neither a web address nor a time of day. */
const OPERATOR = /^([a-z][a-z_]+):(?!\/\/)(\S+)$/i;

/**
 * Returns what is wrong with a word that looks like an operator of another language; undefined if
 * it looks like a word.
 */
export function foreignOperator(
  term: string,
  { isExcluded }: { readonly isExcluded: boolean },
): string | undefined {
  if (/^~\d+$/.test(term))
    return `the service cannot search by the distance of words (\`${term}\`): remove it`;
  const [, written = "", value = ""] = OPERATOR.exec(term) ?? [];
  if (written === "") return undefined;
  return `\`${term}\` is a word to search for here, not an operator: ${cureOf(written.toLowerCase(), value, isExcluded)}`;
}

function cureOf(name: string, value: string, isExcluded: boolean): string {
  const term = `${name}:${value.toLowerCase()}`;
  const sign = isExcluded ? "-" : "";
  if (term === "is:retweet" && isExcluded)
    return "leave it out, there are no retweets without `include:nativeretweets`";
  if (term === "is:retweet")
    return "write `include:nativeretweets` for retweets too, or `include:nativeretweets filter:nativeretweets` for nothing else";
  const renamed = RENAMED.get(name);
  const tag = SIGNS.get(name);
  const instead =
    TRANSLATED.get(term) ??
    (renamed && `${renamed}:${value}`) ??
    (tag && `${tag}${value.replace(/^[@#$]/, "")}`);
  if (instead !== undefined) return `write \`${sign}${instead}\``;
  const condition = CONDITIONS.get(name);
  if (condition !== undefined)
    return `the service cannot search for it, so write \`where\` with \`${condition}\``;
  return UNANSWERABLE.has(name)
    ? "the service cannot search for it"
    : "if it is text, put it into quotes";
}
