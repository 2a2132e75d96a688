/**
 * Plans when each account posts: the times and kinds of its posts, without their texts. The plan of
 * an account for a day depends only on the seed, the account and the day. A timeline or a counter
 * therefore costs only as much as the days that it reads, however many accounts there are.
 */
import type { TweetKind } from "../../../model/tweet.ts";
import { DAY_MS } from "./daily.ts";
import { diceFrom, fraction, hash32, mix, poisson } from "./dice.ts";

export interface PlannedPost {
  readonly atMs: number;
  readonly kind: TweetKind;
  /** The previous post of the same thread; absent for posts that continue no thread. */
  readonly after?: PlannedPost;
  /** Whether the post has media, such as photos or videos, which media_count counts. */
  readonly hasMedia: boolean;
  /** When the author deletes the post; absent if it stays, as nearly all posts do. */
  readonly deletedMs?: number;
}

/** The longest time between a post and its deletion. */
export const REGRET_MS = 2 * DAY_MS;
const REGRETS = 0.006;
const BURST_MS = 8 * 60_000;
const HOUR_MS = 3_600_000;
/**
 * The relative probability of a post for each hour of the day. Few posts are written before seven,
 * and most in the evening.
 */
const HOURS = [
  2, 1, 0.6, 0.4, 0.4, 0.6, 1.5, 3, 5, 6, 6, 5.5, 6, 6, 5, 5, 5.5, 6, 7, 8, 9, 8.5, 6.5, 4,
] as const;
const HOURS_SUM = HOURS.reduce((sum, weight) => sum + weight, 0);
/** The time zones of authors, in hours ahead of UTC. `upTo` is the cumulative share of authors. */
const ZONES = [
  { aheadHours: 1, upTo: 0.4 },
  { aheadHours: -5, upTo: 0.65 },
  { aheadHours: -8, upTo: 0.8 },
  { aheadHours: 9, upTo: 0.92 },
  { aheadHours: 5, upTo: 1 },
] as const;
const NONE: readonly PlannedPost[] = [];

type Draft = { -readonly [Name in keyof PlannedPost]: PlannedPost[Name] };

export interface PlannedPostOptions {
  readonly seed: number;
  postsPerDay(author: number): number;
  /** Accounts below this position never delete a post, because examples name them. */
  readonly steadyAccounts: number;
}

export type PlannedPosts = ReturnType<typeof createPlannedPosts>;

/** Creates the plan of one world. Its function `on` has no cache. */
export function createPlannedPosts(options: PlannedPostOptions) {
  const { seed } = options;
  const [daySalt, zoneSalt] = [hash32(seed, "author-day"), hash32(seed, "zone")];
  const zoneOf = (author: number): number => {
    const chance = fraction(zoneSalt, author);
    return ZONES.find((zone) => chance < zone.upTo)?.aheadHours ?? 0;
  };

  /** Returns the posts of an author on a day, oldest first. No two are at the same time. */
  function on(author: number, day: number): readonly PlannedPost[] {
    const dice = diceFrom(mix(daySalt, author, day));
    const count = poisson(dice, options.postsPerDay(author) * mood(dice()));
    if (count === 0) return NONE;
    const drafts: Draft[] = [];
    const authorDay: AuthorDay = {
      startMs: day * DAY_MS,
      aheadHours: zoneOf(author),
      regrets: author >= options.steadyAccounts,
      dice,
    };
    for (let i = 0; i < count; i += 1) drafts.push(planPost(authorDay, drafts.at(-1)));
    return apart(drafts.sort((a, b) => a.atMs - b.atMs));
  }

  return { on };
}

interface AuthorDay {
  readonly startMs: number;
  readonly aheadHours: number;
  /** Whether the author sometimes deletes a post. */
  readonly regrets: boolean;
  readonly dice: () => number;
}

function planPost(
  { startMs, aheadHours, regrets, dice }: AuthorDay,
  before: PlannedPost | undefined,
): PlannedPost {
  const chance = dice();
  const isThread =
    chance < 0.06 && before !== undefined && (before.kind === "post" || before.after !== undefined);
  const soonMs = isThread
    ? 4_000 + Math.floor(dice() * 20_000)
    : Math.floor(-Math.log(1 - dice()) * BURST_MS) + 5_000;
  // About one post in three follows shortly after the one before.
  const isInBurst =
    before !== undefined && (isThread || chance < 0.36) && before.atMs + soonMs < startMs + DAY_MS;
  const atMs = isInBurst ? before.atMs + soonMs : startMs + timeOfDay(dice, aheadHours);
  const kind = isThread && isInBurst ? "reply" : kindBy(dice());
  const hasMedia = kind !== "retweet" && dice() < 0.25;
  const regret = regrets ? dice() : 1;
  return {
    atMs,
    kind,
    hasMedia,
    ...(isThread && isInBurst ? { after: before } : {}),
    ...(regret < REGRETS
      ? { deletedMs: atMs + 60_000 + Math.floor(dice() ** 3 * (REGRET_MS - 60_000)) }
      : {}),
  };
}

/**
 * Returns a factor for the number of posts on a day, so that some days are quiet and others busy.
 * Its mean is about 1.
 */
const mood = (chance: number): number => (chance < 0.5 ? 0.4 : chance < 0.85 ? 1 : 3);

const kindBy = (chance: number): TweetKind =>
  chance < 0.55 ? "post" : chance < 0.77 ? "reply" : chance < 0.92 ? "retweet" : "quote";

function timeOfDay(dice: () => number, aheadHours: number): number {
  let rest = dice() * HOURS_SUM;
  let hour = 0;
  while (hour < 23 && rest >= (HOURS[hour] as number)) {
    rest -= HOURS[hour] as number;
    hour += 1;
  }
  const local = (hour + rest / (HOURS[hour] as number)) * HOUR_MS;
  return Math.floor(local - aheadHours * HOUR_MS + DAY_MS) % DAY_MS;
}

/**
 * Moves posts that have the same time apart, because the id of a post is made from its time and
 * author. The posts are changed in place, so that threads keep referring to them.
 */
function apart(sorted: Draft[]): readonly PlannedPost[] {
  for (let i = 1; i < sorted.length; i += 1) {
    const [one, next] = [sorted[i - 1] as Draft, sorted[i] as Draft];
    if (next.atMs <= one.atMs) next.atMs = one.atMs + 1;
  }
  return sorted;
}
