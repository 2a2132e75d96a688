/** Every watch type. A new one is its file and its line here. */
import { communityTweets } from "./community-tweets.ts";
import { newFollowers } from "./new-followers.ts";
import { scoreDelta } from "./score-delta.ts";
import { search } from "./search.ts";
import { timeline } from "./timeline.ts";
import type { WatchType } from "./watch-type.ts";

export const WATCH_TYPES: readonly WatchType<any>[] = [search, timeline, newFollowers, scoreDelta, communityTweets];
