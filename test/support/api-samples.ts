/**
 * For each operation of the data service: inputs, the request they must become, and an answer as
 * the service sends it.
 */
import type { EndpointName } from "../../src/api/endpoints/index.ts";
import type { JsonObject } from "../../src/model/json.ts";

const USER_ID = "1501234567890123456";
const TWEET_ID = "1867041249938530657";
const LINK = `https://social.example/alice/status/${TWEET_ID}`;

/** A profile as documented, with the nulls that real answers have. */
const user: JsonObject = {
  id: USER_ID,
  username: "alice",
  display_name: "Alice",
  description: "bio",
  location: "Lisbon",
  bio_urls: null,
  can_dm: true,
  created_at: "Fri Mar 06 13:38:49 +0000 2020",
  favourites_count: 1,
  followers_count: 2,
  followings_count: 3,
  media_count: 4,
  tweets_count: 5,
  pinned_tweet_ids: null,
  possibly_sensitive: false,
  profile_image_url: "https://pictures.example/a.png",
  profile_background_image_url: "https://pictures.example/b.png",
  protected: false,
  verified: true,
};
const { location: _, ...withoutPlace } = user;
const followed: JsonObject = { ...withoutPlace, followerDate: "2026-03-01T10:00:00Z" };
const { id, username, display_name, profile_image_url, verified } = user;
const reduced: JsonObject = {
  id,
  username,
  display_name,
  profile_image_url,
  verified,
  protected: false,
};
const topFollower: JsonObject = {
  ...reduced,
  description: "bio",
  created_at: "2020-03-06T13:38:49.000Z",
  can_dm: false,
  followers_count: 9,
  followings_count: 8,
  tweets_count: 7,
  profile_background_image_url: "",
  score: 4183.88,
};

const single: JsonObject = {
  id: TWEET_ID,
  full_text: "Hello",
  created_at: "2026-03-06T13:38:49.000Z",
  lang: "en",
  conversation_id_str: TWEET_ID,
  entities: null,
  is_reply: false,
  in_reply_to_tweet_id: null,
  in_reply_to_username: null,
  is_quote_status: false,
  is_replies_limited: false,
  likes_count: 1,
  retweet_count: 2,
  reply_count: 3,
  quote_count: 4,
  bookmark_count: 5,
  view_count: 6,
  user,
};
const tweet: JsonObject = { ...single, made_with_ai: false, paid_partnership: false };

const legacyUser: JsonObject = {
  id_str: USER_ID,
  screen_name: "alice",
  name: "Alice",
  avatar: "https://pictures.example/a.png",
  friends_count: 3,
  statuses_count: 5,
  followers_count: 2,
};
const { id: _id, likes_count: _likes, in_reply_to_tweet_id: _reply, ...sameInV2 } = single;
const legacyTweet: JsonObject = {
  ...sameInV2,
  id_str: TWEET_ID,
  favorite_count: 1,
  in_reply_to_status_id_str: null,
  user: legacyUser,
};

const participant: JsonObject = {
  avatar: "https://pictures.example/a.png",
  id: USER_ID,
  is_muted_by_admin: false,
  is_muted_by_guest: true,
  is_verified: true,
  name: "Alice",
  broadcast_user_id: "b1",
  start: 1_772_804_329_000,
  username: "alice",
};
const space: JsonObject = {
  id: "1DXxyRYNejbKM",
  title: "Talk",
  state: "Running",
  media_key: "28_1",
  is_subscribed: false,
  created_at: 1_772_804_329_000,
  updated_at: 1_772_804_329,
  scheduled_start: 1_772_804_329_000,
  creator: user,
  participants: { admins: [participant], speakers: [], listeners: [], total: 1 },
  settings: {
    conversation_controls: 0,
    disallow_join: false,
    is_employee_only: false,
    is_locked: true,
    is_muted: false,
    is_space_available_for_clipping: true,
    is_space_available_for_replay: true,
    max_admin_capacity: 10,
    max_guest_sessions: 13,
    narrow_cast_space_type: 0,
    no_incognito: false,
  },
  stats: { total_live_listeners: 7, total_participants: 8, total_replay_watched: 0 },
};
const article: JsonObject = {
  author: user,
  bookmark_count: 1,
  cover_image_url: "",
  favorite_count: 2,
  full_text: "Long",
  preview_text: "Lo",
  published_at: "2026-03-06T13:38:49.000Z",
  quote_count: 3,
  reply_count: 4,
  retweet_count: 5,
  views: 6,
};

export interface ApiSample {
  readonly params: JsonObject;
  /** The method and address, and the body if there is one. */
  readonly request: string;
  readonly body?: JsonObject;
  /** The answer of the service: the whole body, or the entries of a list. */
  readonly sent: JsonObject | readonly JsonObject[];
  /** Fields that the client must return for the body, or for each entry of the list. */
  readonly read: JsonObject;
}

const readUser: JsonObject = {
  id: USER_ID,
  username: "alice",
  bio_urls: [],
  pinned_tweet_ids: [],
  created_at: "2020-03-06T13:38:49.000Z",
  profile_background_image_url: "https://pictures.example/b.png",
};
const readTweet: JsonObject = {
  id: TWEET_ID,
  entities: [],
  in_reply_to_tweet_id: "",
  likes_count: 1,
  created_at: "2026-03-06T13:38:49.000Z",
  user: readUser,
};
const account = { user_id: USER_ID };
const query = `?user_id=${USER_ID}`;
const ofTweet = { tweet_link: LINK };
const about = { tweet_link: TWEET_ID, username: "alice" };

const users = (path: string): ApiSample => ({
  params: account,
  request: `GET /v3/${path}${query}`,
  sent: [user],
  read: readUser,
});
const scores = (path: string, sent: ApiSample["sent"], read: JsonObject): ApiSample => ({
  params: { username: "@alice" },
  request: `GET /v3/${path}?username=alice`,
  sent,
  read,
});
const posted = (
  path: string,
  params: JsonObject,
  sent: ApiSample["sent"],
  read: JsonObject,
  body = params,
): ApiSample => ({
  params,
  request: `POST /v3/${path}`,
  body,
  sent,
  read,
});
const readFollowed = { ...readUser, followerDate: "2026-03-01T10:00:00.000Z" };

export const API_SAMPLES: Readonly<Record<EndpointName, ApiSample>> = {
  info: {
    ...users("info"),
    params: { user_link: "https://social.example/alice" },
    request: "GET /v3/info?user_link=https%3A%2F%2Fsocial.example%2Falice",
    sent: user,
  },
  "info-batch": {
    params: { usernames: ["alice", "@bob"] },
    request: "GET /v3/info-batch?usernames=alice&usernames=bob",
    sent: [user],
    read: readUser,
  },
  about: {
    params: account,
    request: `GET /v3/about${query}`,
    sent: {
      country: "Germany",
      last_username_change_at: "2026-03-06T13:38:49Z",
      username_change_count: 2,
    },
    read: {
      country: "Germany",
      last_username_change_at: "2026-03-06T13:38:49.000Z",
      username_change_count: 2,
    },
  },
  followers: users("followers"),
  follows: users("follows"),
  "verified-followers": users("verified-followers"),
  "search-users": posted("search-users", { query: "acme" }, [user], readUser),
  "check-follow": posted(
    "check-follow",
    { username_1: "alice", user_id_2: "7" },
    { follow: true, user_protected: false },
    { follow: true, user_protected: false },
  ),
  "tweet-info": posted("tweet-info", ofTweet, single, readTweet),
  "tweet-info-bulk": posted(
    "tweet-info-bulk",
    { tweet_links: [TWEET_ID, LINK] },
    [tweet],
    readTweet,
  ),
  "user-tweets": posted("user-tweets", account, [tweet], readTweet),
  "user-retweets": posted("user-retweets", account, [{ ...tweet, retweeted_status: single }], {
    ...readTweet,
    retweeted_status: readTweet,
  }),
  "search-tweets": posted(
    "search-tweets",
    { query: "-cat acme", order: "latest" },
    [tweet],
    readTweet,
  ),
  mentions: posted(
    "mentions",
    { query: "@acme", min_likes: 5, since_date: "2026-03-01" },
    [tweet],
    readTweet,
    {
      query: "acme",
      min_likes: 5,
      since_date: "2026-03-01",
    },
  ),
  comments: posted("comments", { ...ofTweet, order_by: "Recency" }, [tweet], readTweet),
  quotes: posted("quotes", ofTweet, [{ ...tweet, is_quote_status: true, quoted_status: single }], {
    quoted_status: readTweet,
  }),
  retweeters: posted("retweeters", ofTweet, [user], readUser),
  article: posted("article", ofTweet, article, {
    favorite_count: 2,
    views: 6,
    author: readUser,
    published_at: "2026-03-06T13:38:49.000Z",
  }),
  "check-comment": {
    params: about,
    request: `GET /v3/check-comment?tweet_link=${TWEET_ID}&username=alice`,
    sent: { commented: true, tweet },
    read: { commented: true, tweet: readTweet },
  },
  "check-quoted": posted(
    "check-quoted",
    about,
    { status: "quoted", date: "2024-04-27 06:43:09", text: "so true", user_protected: false },
    { status: "quoted", date: "2024-04-27T06:43:09.000Z", text: "so true" },
  ),
  "check-retweet": posted(
    "check-retweet",
    about,
    { retweet: true, user_protected: false },
    { retweet: true, user_protected: false },
  ),
  "v2-user-tweets": {
    params: { link: "https://social.example/alice" },
    request: "POST /v2/user-tweets",
    body: { link: "https://social.example/alice" },
    sent: [legacyTweet],
    read: {
      id: TWEET_ID,
      likes_count: 1,
      user: { id: USER_ID, username: "alice", followings_count: 3 },
    },
  },
  "community-info": posted(
    "community-info",
    { community_id: "1493", community_link: "https://social.example/i/communities/7" },
    {
      name: "C",
      description: "d",
      member_count: 3,
      created_at: 1_772_804_329_000,
      banner_url: "",
      creator: user,
    },
    { name: "C", member_count: 3, created_at: "2026-03-06T13:38:49.000Z", creator: readUser },
  ),
  "community-members": posted("community-members", { community_link: "1493" }, [reduced], {
    id: USER_ID,
    username: "alice",
    verified: true,
  }),
  "community-tweets": posted("community-tweets", { community_id: "1493" }, [tweet], readTweet),
  "community-search-tweets": posted(
    "community-search-tweets",
    { community_link: "1493", query: "a", order: "popular" },
    [tweet],
    readTweet,
  ),
  "check-community-member": posted(
    "check-community-member",
    { community_id: "1493", ...account },
    { is_member: true },
    { is_member: true },
  ),
  "list-tweets": {
    params: { list_id: "12" },
    request: "GET /v3/list-tweets?list_id=12",
    sent: [tweet],
    read: readTweet,
  },
  "list-members": {
    params: { list_id: "12" },
    request: "GET /v3/list-members?list_id=12",
    sent: [user],
    read: readUser,
  },
  "list-followers": {
    params: { list_link: "12" },
    request: "GET /v3/list-followers?list_link=12",
    sent: [user],
    read: readUser,
  },
  spaces: {
    params: { id: "1DXxyRYNejbKM" },
    request: "GET /v3/spaces?id=1DXxyRYNejbKM",
    sent: space,
    read: {
      state: "Running",
      created_at: "2026-03-06T13:38:49.000Z",
      updated_at: "2026-03-06T13:38:49.000Z",
      settings: { is_locked: true },
    },
  },
  trends: {
    params: { woeid: 1 },
    request: "GET /v3/trends?woeid=1",
    sent: { trends: [{ name: "Acme", query: '"Acme"', url: "https://social.example/search" }] },
    read: { trends: [{ name: "Acme", query: '"Acme"', url: "https://social.example/search" }] },
  },
  score: scores("score", { score: 4183.88 }, { score: 4183.88 }),
  "score-changes": scores(
    "score-changes",
    { week_delta: 12.5, month_delta: null },
    { week_delta: 12.5, month_delta: null },
  ),
  "followers-stats": scores(
    "followers-stats",
    {
      followers_count: 6,
      influencers_count: 1,
      projects_count: 2,
      venture_capitals_count: 3,
      user_protected: false,
    },
    {
      followers_count: 6,
      influencers_count: 1,
      projects_count: 2,
      venture_capitals_count: 3,
      user_protected: false,
    },
  ),
  "top-followers": scores("top-followers", [topFollower], {
    id: USER_ID,
    score: 4183.88,
    bio_urls: [],
    followers_count: 9,
  }),
  "top-following": scores("top-following", [followed], readFollowed),
  "new-followers-7d": scores("new-followers-7d", [followed], readFollowed),
  "new-following-7d": scores("new-following-7d", [followed], readFollowed),
  "id-to-username": {
    params: account,
    request: `GET /v3/id-to-username/${USER_ID}`,
    sent: { handle: "alice" },
    read: { handle: "alice" },
  },
  "username-to-id": {
    params: { handle: "@alice" },
    request: "GET /v3/username-to-id/alice",
    sent: { id: USER_ID },
    read: { id: USER_ID },
  },
  "link-to-id": {
    params: { link: LINK },
    request: `GET /v3/link-to-id?link=${encodeURIComponent(LINK)}`,
    sent: { id: TWEET_ID },
    read: { id: TWEET_ID },
  },
  "key-usage-info": {
    params: {},
    request: "GET /v3/key-usage-info",
    sent: {
      key_requests: 1,
      remaining_requests: 99,
      total_requests: 100,
      valid_until: "2026-12-01",
    },
    read: { remaining_requests: 99, valid_until: "2026-12-01" },
  },
};
