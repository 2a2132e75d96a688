/**
 * The message about a tweet: who did what, the text, media, the tweet that it answers or quotes,
 * counts, permalink.
 */
import type { NeutralMessage } from "../../model/message.ts";
import type { OutboxEvent } from "../../model/sink.ts";
import { kindOfTweet, type Tweet, type TweetKind } from "../../model/tweet.ts";
import { authorOf, baseMessage, nameOf, type ReadContext } from "./event-message.ts";
import { opsAlertMessage } from "./ops-alert-message.ts";
import { formatCompact } from "../text/numbers.ts";
import { tweetUrl } from "../text/permalink.ts";
import { spellTime } from "../text/times.ts";

const SHOWN_MEDIA: ReadonlySet<string> = new Set(["photo", "video", "animated_gif"]);

/**
 * Reads `body.tweet`. `title` replaces the usual title ("Alice (@alice) posted"), for events that
 * are not about a new tweet.
 */
export function tweetMessage(
  event: OutboxEvent,
  context: ReadContext,
  title?: string,
): NeutralMessage {
  const tweet = event.event.body.tweet;
  if (tweet === undefined) return opsAlertMessage(event);
  if (event.event.type === "tweet.deleted") return endMessage(event, tweet, context);
  const { linksHost, locale } = context;
  const other =
    event.event.type === "tweet.edited" ? formerText(event) : contextOf(tweet, linksHost);
  return {
    ...baseMessage(event),
    title: title ?? titleOf(event.event.type, tweet),
    author: authorOf(tweet.user, linksHost),
    body: tweet.retweeted_status === undefined ? tweet.full_text : "",
    url: tweetUrl(linksHost, tweet.user.username, tweet.id),
    media: mediaOf(tweet),
    context: other,
    facts: countsOf(tweet.retweeted_status ?? tweet, locale),
  };
}

const KINDS: Readonly<Record<TweetKind, string>> = {
  post: "A post",
  reply: "A reply",
  quote: "A quote",
  retweet: "A repost",
};

/** Returns "A post by Alice (@alice)". */
export const whatOf = (tweet: Tweet): string =>
  `${KINDS[kindOfTweet(tweet)]} by ${nameOf(tweet.user)}`;

/**
 * Returns the message about a deleted post, without the post's text and media: who wrote it, and
 * when.
 */
const endMessage = (
  event: OutboxEvent,
  tweet: Tweet,
  { linksHost, ...region }: ReadContext,
): NeutralMessage => ({
  ...baseMessage(event),
  title: `${[whatOf(tweet), spellTime(Date.parse(tweet.created_at), region)].filter((part) => part !== "").join(" of ")} is gone: deleted, or no longer public`,
  author: authorOf(tweet.user, linksHost),
  body: "",
  url: tweetUrl(linksHost, tweet.user.username, tweet.id),
  media: [],
  facts: [],
});

function titleOf(type: string, tweet: Tweet): string {
  return type === "tweet.edited"
    ? `${whatOf(tweet)} was edited`
    : `${nameOf(tweet.user)} ${deedOf(tweet)}`;
}

/**
 * Returns the text before an edit. An edited reply shows it in place of the answered tweet, because
 * it matters more.
 */
function formerText({ event }: OutboxEvent): NeutralMessage["context"] {
  const { previous } = event.body;
  const text =
    typeof previous === "object" && previous !== null && "full_text" in previous
      ? previous["full_text"]
      : undefined;
  return typeof text === "string" ? { label: "Before the edit", body: text } : undefined;
}

function deedOf(tweet: Tweet): string {
  switch (kindOfTweet(tweet)) {
    case "retweet":
      return `reposted ${tweet.retweeted_status === undefined ? "a post" : nameOf(tweet.retweeted_status.user)}`;
    case "reply":
      return tweet.in_reply_to_username === ""
        ? "replied"
        : `replied to @${tweet.in_reply_to_username}`;
    case "quote":
      return `quoted ${tweet.quoted_status === undefined ? "a post" : nameOf(tweet.quoted_status.user)}`;
    case "post":
      return "posted";
  }
}

/**
 * Returns the tweet that was reposted, quoted or answered. The service sends the text of a reposted
 * or quoted tweet, but only the id and the author's handle of an answered one.
 */
function contextOf(tweet: Tweet, linksHost: string): NeutralMessage["context"] {
  const other = tweet.retweeted_status ?? tweet.quoted_status;
  if (other !== undefined) {
    return {
      label: nameOf(other.user),
      body: other.full_text,
      url: tweetUrl(linksHost, other.user.username, other.id),
    };
  }
  if (tweet.in_reply_to_tweet_id === "") return undefined;
  const to = tweet.in_reply_to_username;
  return {
    label: "Answered post",
    body: "",
    url: tweetUrl(linksHost, to, tweet.in_reply_to_tweet_id),
  };
}

/**
 * Returns the media of a tweet or of the tweet that it reposts. `preview` is a picture for every
 * kind of media; if it is missing, `link` is used, which is a picture only for photos.
 */
function mediaOf(tweet: Tweet): NeutralMessage["media"] {
  const own = tweet.entities.length > 0 ? tweet.entities : (tweet.retweeted_status?.entities ?? []);
  return own
    .filter(({ type }) => SHOWN_MEDIA.has(type))
    .map(({ type, preview, link }) => ({ kind: type, url: preview || link }))
    .filter(({ url }) => url !== "");
}

/** The minimum number of views that is shown. The first few views are mostly the author's own. */
const MIN_VIEWS_SHOWN = 10;

function countsOf(tweet: Tweet, locale: string | undefined): NeutralMessage["facts"] {
  const counts: readonly (readonly [string, number])[] = [
    ["Likes", tweet.likes_count],
    ["Reposts", tweet.retweet_count + tweet.quote_count],
    ["Replies", tweet.reply_count],
    ["Views", tweet.view_count < MIN_VIEWS_SHOWN ? 0 : tweet.view_count],
    ["Followers", tweet.user.followers_count],
  ];
  return counts
    .filter(([, count]) => count > 0)
    .map(([name, count]) => ({ name, value: formatCompact(count, locale) }));
}
