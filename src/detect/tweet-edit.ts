/**
 * Decides whether and how a sent message must be edited, because a poll has seen a change of its
 * tweet. Pure.
 */
import type { EditCause } from "../model/edit-cause.ts";
import type { EditableAlert, ShownTweet, TweetSight, WantedEdit } from "../model/edit.ts";
import type { Hash } from "../model/hash.ts";
import type { Tweet } from "../model/tweet.ts";
import { textVersion } from "./tweet-text.ts";

/** The minimum time between two edits of a message, whatever changes meanwhile. */
export const EDIT_EVERY_MS = 60_000;

const COUNTS = [
  "likes_count",
  "retweet_count",
  "reply_count",
  "quote_count",
  "bookmark_count",
  "view_count",
] as const;

export interface EditContext {
  readonly hash: Hash;
  readonly nowMs: number;
}

/**
 * Returns the edit that is needed; undefined if the message already shows every change that
 * `causes` include.
 */
export function wantedEdit(
  alert: EditableAlert,
  sight: TweetSight,
  causes: ReadonlySet<EditCause>,
  { hash, nowMs }: EditContext,
): WantedEdit | undefined {
  const { deliveryId, shown, wantedAtMs } = alert;
  const known = alert.versions.length > 0 ? alert.versions : versionsOf(hash, shown.tweet);
  const want = (next: ShownTweet, versions = known): WantedEdit => ({
    deliveryId,
    shown: next,
    versions,
    wantedAtMs: nowMs,
    dueAtMs: Math.max(nowMs, alert.dueAtMs ?? nowMs),
  });
  // A deleted tweet stays deleted, even if an older answer still shows it.
  if (shown.isGone) return undefined;
  if (sight.kind === "gone")
    return causes.has("deleted") ? want({ ...shown, isGone: true }) : undefined;
  const version = causes.has("edited") ? textVersion(hash, sight.tweet) : undefined;
  const isEdited = version !== undefined && known.length > 0 && !known.includes(version);
  // Counts change with almost every answer, so they cause at most one edit in `EDIT_EVERY_MS`.
  const isCounted =
    causes.has("counts") &&
    COUNTS.some((name) => countOf(sight.tweet, name) !== countOf(shown.tweet, name)) &&
    (isEdited || wantedAtMs === null || nowMs - wantedAtMs >= EDIT_EVERY_MS);
  if (!isEdited && !isCounted) return undefined;
  const tweet = withCounts(
    isEdited ? withText(shown.tweet, sight.tweet) : shown.tweet,
    isCounted ? sight.tweet : undefined,
  );
  return want(
    { tweet, isGone: false, isEdited: shown.isEdited || isEdited },
    isEdited ? [...known, version] : known,
  );
}

const versionsOf = (hash: Hash, tweet: Tweet): readonly string[] => {
  const version = textVersion(hash, tweet);
  return version === undefined ? [] : [version];
};

/** Returns a count. The counts of a repost are those of the post that it reposts. */
const countOf = (tweet: Tweet, name: (typeof COUNTS)[number]): number =>
  (tweet.retweeted_status ?? tweet)[name];

const withText = (tweet: Tweet, { full_text, entities }: Tweet): Tweet => ({
  ...tweet,
  full_text,
  entities,
});

function withCounts(tweet: Tweet, from: Tweet | undefined): Tweet {
  if (from === undefined) return tweet;
  const countsOf = (source: Tweet) =>
    Object.fromEntries(COUNTS.map((name) => [name, source[name]])) as Pick<
      Tweet,
      (typeof COUNTS)[number]
    >;
  const inner =
    tweet.retweeted_status === undefined || from.retweeted_status === undefined
      ? {}
      : { retweeted_status: { ...tweet.retweeted_status, ...countsOf(from.retweeted_status) } };
  return { ...tweet, ...countsOf(from), ...inner };
}
