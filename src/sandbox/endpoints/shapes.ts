/**
 * What the service's resources look like on the wire: the fields of api-v3.md, and null where api-field-notes.md section 2 saw it.
 * Rows are built from these; openapi.ts writes them down.
 */
import { z } from "zod";

/** Names under which resources stand in the description. */
export const RESOURCES = z.registry<{ readonly id: string }>();

const named = <T extends z.ZodType>(id: string, schema: T): T => {
  RESOURCES.add(schema, { id });
  return schema;
};

const text = z.string();
const count = z.int();
const flag = z.boolean();
const digits = z.string().regex(/^\d+$/);
/** ISO 8601, or as `Fri Mar 06 13:38:49 +0000 2026`. */
const date = z.string();
const strings = z.array(text).nullable();

const userFields = {
  id: digits,
  username: text,
  display_name: text,
  description: text,
  location: text,
  bio_urls: strings,
  can_dm: flag,
  created_at: date,
  favourites_count: count,
  followers_count: count,
  followings_count: count,
  media_count: count,
  tweets_count: count,
  pinned_tweet_ids: z.array(digits).nullable(),
  possibly_sensitive: flag,
  profile_image_url: text,
  profile_background_image_url: text,
  protected: flag,
  verified: flag,
};

export const user = named("User", z.object(userFields));

export const reducedUser = named(
  "ReducedUser",
  user.pick({ display_name: true, id: true, profile_image_url: true, protected: true, username: true, verified: true }),
);

export const followedUser = named("FollowedUser", user.omit({ location: true }).extend({ followerDate: date }));

export const topFollower = named(
  "TopFollower",
  user
    .omit({ location: true, bio_urls: true, favourites_count: true, media_count: true, pinned_tweet_ids: true, possibly_sensitive: true })
    .extend({ score: z.number() }),
);

const entity = named("Entity", z.object({ link: text, preview: text, type: text }));

const innerTweet = named(
  "InnerTweet",
  z.object({
    id: digits,
    full_text: text,
    created_at: date,
    lang: text,
    conversation_id_str: digits,
    entities: z.array(entity).nullable(),
    is_reply: flag,
    in_reply_to_tweet_id: text,
    in_reply_to_username: text,
    is_quote_status: flag,
    is_replies_limited: flag,
    made_with_ai: flag,
    paid_partnership: flag,
    likes_count: count,
    retweet_count: count,
    reply_count: count,
    quote_count: count,
    bookmark_count: count,
    view_count: count,
    user,
  }),
);

export const tweet = named("Tweet", innerTweet.extend({ quoted_status: innerTweet.optional(), retweeted_status: innerTweet.optional() }));

/** /tweet-info leaves out two fields. */
export const singleTweet = named("SingleTweet", tweet.omit({ made_with_ai: true, paid_partnership: true }));

const legacyUser = named(
  "LegacyUser",
  user
    .omit({ id: true, username: true, display_name: true, profile_image_url: true, followings_count: true, tweets_count: true })
    .extend({ id_str: digits, screen_name: text, name: text, avatar: text, friends_count: count, statuses_count: count }),
);

const legacyInnerTweet = named(
  "LegacyInnerTweet",
  z.object({
    created_at: date,
    favorite_count: count,
    full_text: text,
    id_str: digits,
    quote_count: count,
    retweet_count: count,
    user: legacyUser,
  }),
);

export const legacyTweet = named(
  "LegacyTweet",
  innerTweet.omit({ id: true, likes_count: true, in_reply_to_tweet_id: true, user: true }).extend({
    id_str: digits,
    favorite_count: count,
    in_reply_to_status_id_str: text,
    user: legacyUser,
    quoted_status: legacyInnerTweet.optional(),
    retweeted_status: legacyInnerTweet.optional(),
  }),
);

export const community = named(
  "Community",
  z.object({ name: text, description: text, member_count: count, created_at: count, banner_url: text, creator: user }),
);

const participant = named(
  "Participant",
  z.object({
    avatar: text,
    id: digits,
    is_muted_by_admin: flag,
    is_muted_by_guest: flag,
    is_verified: flag,
    name: text,
    broadcast_user_id: text,
    start: count,
    username: text,
  }),
);

export const space = named(
  "Space",
  z.object({
    id: text,
    title: text,
    state: text,
    media_key: text,
    is_subscribed: flag,
    created_at: count,
    updated_at: count,
    scheduled_start: count,
    creator: user,
    participants: z.object({
      admins: z.array(participant),
      speakers: z.array(participant),
      listeners: z.array(participant),
      total: count,
    }),
    settings: z.object({
      conversation_controls: count,
      disallow_join: flag,
      is_employee_only: flag,
      is_locked: flag,
      is_muted: flag,
      is_space_available_for_clipping: flag,
      is_space_available_for_replay: flag,
      max_admin_capacity: count,
      max_guest_sessions: count,
      narrow_cast_space_type: count,
      no_incognito: flag,
    }),
    stats: z.object({ total_live_listeners: count, total_participants: count, total_replay_watched: count }),
  }),
);

export const article = named(
  "Article",
  z.object({
    author: user,
    bookmark_count: count,
    cover_image_url: text,
    favorite_count: count,
    full_text: text,
    preview_text: text,
    published_at: date,
    quote_count: count,
    reply_count: count,
    retweet_count: count,
    views: count,
  }),
);

export const trend = named("Trend", z.object({ name: text, query: text, url: text }));

export const scoreChanges = named("ScoreChanges", z.object({ week_delta: count, month_delta: count }));

export const about = named("About", z.object({ country: text, last_username_change_at: date.nullable(), username_change_count: count }));

export const handle = named("Handle", z.object({ handle: text }));

export const withId = named("Id", z.object({ id: digits }));

export const errorBody = named("Error", z.object({ message: text }));

/** The end is null; `next_cursor` names the next page otherwise. */
const textCursor = text.nullable();
/** Digits beyond 2^53, unquoted. */
const int64Cursor = z.number().nullable();

export const tweetPageOf = (item: z.ZodType) => z.object({ next_cursor: textCursor, tweets: z.array(item) });
export const tweetPage = tweetPageOf(tweet);
export const userPage = z.object({ next_cursor: textCursor, users: z.array(user) });
export const memberPage = z.object({ next_cursor: textCursor, users: z.array(reducedUser) });
export const positionPage = z.object({ next_cursor: int64Cursor, users: z.array(user) });
export const usersOf = (item: z.ZodType) => z.object({ users: z.array(item) });
