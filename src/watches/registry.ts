/** Every watch type. A new type is its own file and a line here. */
import { about } from "./about.ts";
import { article } from "./article.ts";
import { communityInfo } from "./community-info.ts";
import { communityMembers } from "./community-members.ts";
import { communitySearch } from "./community-search.ts";
import { communityTweets } from "./community-tweets.ts";
import { followersStats } from "./followers-stats.ts";
import { followers } from "./followers.ts";
import { following } from "./following.ts";
import { listFollowers } from "./list-followers.ts";
import { listMembers } from "./list-members.ts";
import { listTweets } from "./list-tweets.ts";
import { membership } from "./membership.ts";
import { mentions } from "./mentions.ts";
import { newFollowers } from "./new-followers.ts";
import { newFollowing } from "./new-following.ts";
import { profile } from "./profile.ts";
import { quotes } from "./quotes.ts";
import { replies } from "./replies.ts";
import { retweeters } from "./retweeters.ts";
import { retweets } from "./retweets.ts";
import { scoreDelta } from "./score-delta.ts";
import { score } from "./score.ts";
import { search } from "./search.ts";
import { space } from "./space.ts";
import { timeline } from "./timeline.ts";
import { topFollowers } from "./top-followers.ts";
import { topFollowing } from "./top-following.ts";
import { trends } from "./trends.ts";
import { tweet } from "./tweet.ts";
import { userSearch } from "./user-search.ts";
import { verifiedFollowers } from "./verified-followers.ts";
import type { WatchType } from "./watch-type.ts";

export const WATCH_TYPES: readonly WatchType<any>[] = [
  search,
  timeline,
  newFollowers,
  scoreDelta,
  communityTweets,
  retweets,
  replies,
  quotes,
  listTweets,
  communitySearch,
  profile,
  about,
  article,
  communityInfo,
  followersStats,
  membership,
  score,
  space,
  trends,
  tweet,
  retweeters,
  listMembers,
  listFollowers,
  communityMembers,
  newFollowing,
  followers,
  following,
  verifiedFollowers,
  userSearch,
  topFollowers,
  topFollowing,
  mentions,
];

/** Returns the type of a watch. The configuration has checked that it exists. */
export function watchTypeOf({ type: name }: { readonly type: string }): WatchType<any> {
  const type = WATCH_TYPES.find((candidate) => candidate.type === name);
  if (type === undefined) throw new Error(`no watch type ${name}`);
  return type;
}

/**
 * Whether watches of this type read values, such as those of a profile, and no tweets or members.
 * False for an unknown type.
 */
export const isReadingType = (type: string): boolean =>
  WATCH_TYPES.find((one) => one.type === type)?.detection.detector === "reading";
