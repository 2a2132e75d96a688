/** Every watch type. A new one is its file and its line here. */
import { communitySearch } from "./community-search.ts";
import { communityTweets } from "./community-tweets.ts";
import { listTweets } from "./list-tweets.ts";
import { newFollowers } from "./new-followers.ts";
import { quotes } from "./quotes.ts";
import { replies } from "./replies.ts";
import { retweets } from "./retweets.ts";
import { profile } from "./profile.ts";
import { scoreDelta } from "./score-delta.ts";
import { search } from "./search.ts";
import { timeline } from "./timeline.ts";
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
];
