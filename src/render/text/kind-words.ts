/** The words for counted events: "45 posts, 15 new followers, 1 milestone". */
import { ownValue } from "../../model/own-value.ts";
import { formatExact } from "./numbers.ts";

/** The name of a kind of event, in the singular and in the plural. */
export type KindWords = readonly [string, string];

const MILESTONE: KindWords = ["milestone", "milestones"];
const PROFILE_CHANGE: KindWords = ["profile change", "profile changes"];

const KIND_WORDS: Readonly<Record<string, KindWords>> = {
  "tweet.created": ["post", "posts"],
  "tweet.edited": ["edited post", "edited posts"],
  "tweet.deleted": ["deleted post", "deleted posts"],
  "tweet.threshold": MILESTONE,
  "follower.added": ["new follower", "new followers"],
  "follower.removed": ["lost follower", "lost followers"],
  "following.added": ["newly followed account", "newly followed accounts"],
  "following.removed": ["unfollowed account", "unfollowed accounts"],
  "member.added": ["new member", "new members"],
  "member.removed": ["former member", "former members"],
  "retweeter.added": ["repost", "reposts"],
  "user.found": ["account found", "accounts found"],
  "top_follower.entered": ["new top follower", "new top followers"],
  "top_follower.left": ["former top follower", "former top followers"],
  "top_following.entered": ["new top followed account", "new top followed accounts"],
  "top_following.left": ["former top followed account", "former top followed accounts"],
  "score.changed": ["score change", "score changes"],
  "profile.changed": PROFILE_CHANGE,
  "about.changed": PROFILE_CHANGE,
  "profile.threshold": MILESTONE,
  "stats.changed": ["change of followers", "changes of followers"],
  "community.changed": ["community change", "community changes"],
  "article.changed": ["article change", "article changes"],
  "membership.changed": ["membership change", "membership changes"],
  "space.changed": ["Space", "Spaces"],
  "trend.entered": ["new trend", "new trends"],
  "trend.left": ["former trend", "former trends"],
  "trend.moved": ["trend that moved", "trends that moved"],
  "volume.spike": ["volume spike", "volume spikes"],
  "volume.silent": ["silent watch", "silent watches"],
};

const ALERT: KindWords = ["alert", "alerts"];

export const kindWords = (type: string): KindWords => ownValue(KIND_WORDS, type) ?? ALERT;

/** Returns the plural as a heading: "New followers". */
export const kindTitle = (type: string): string => {
  const [, many] = kindWords(type);
  return many.charAt(0).toUpperCase() + many.slice(1);
};

/**
 * Returns "45 posts, 15 new followers", the largest count first. Event types with the same words
 * are counted together. The text is empty if `counts` is.
 */
export function countsText(counts: ReadonlyMap<string, number>, locale?: string): string {
  const byWord = new Map<string, { readonly words: KindWords; count: number }>();
  for (const [type, count] of counts) {
    const words = kindWords(type);
    const known = byWord.get(words[1]) ?? { words, count: 0 };
    known.count += count;
    byWord.set(words[1], known);
  }
  return [...byWord.values()]
    .sort((a, b) => b.count - a.count)
    .map(({ words, count }) => `${formatExact(count, locale)} ${count === 1 ? words[0] : words[1]}`)
    .join(", ");
}

/** Returns the number of events of each type. */
export function countTypes(
  events: readonly { readonly event: { readonly type: string } }[],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { event } of events) counts.set(event.type, (counts.get(event.type) ?? 0) + 1);
  return counts;
}
