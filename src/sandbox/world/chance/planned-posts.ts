/**
 * Plans when each account posts, day by day: the moments and kinds of its posts, without their
 * texts. A day of an account is a pure function of seed, account and day, so that a timeline or a
 * counter costs no more than the days it reads, however many accounts there are.
 */
import type { TweetKind } from "../../../model/tweet.ts";
import { DAY_MS } from "./daily.ts";
import { diceFrom, fraction, hash32, mix, poisson } from "./dice.ts";

export interface PlannedPost {
  readonly atMs: number;
  readonly kind: TweetKind;
  /** The post before this one in the same thread. */
  readonly after?: PlannedPost;
  /** Whether the post has photos, videos or the like, which media_count counts. */
  readonly hasMedia: boolean;
  /** When the author deletes the post; absent for nearly all posts. */
  readonly deletedMs?: number;
}

/** Nobody deletes a post later than this after posting it. */
export const REGRET_MS = 2 * DAY_MS;
const REGRETS = 0.006;
const BURST_MS = 8 * 60_000;
const HOUR_MS = 3_600_000;
/**
 * How a person's posts are spread over the hours of the day: none is likely before seven, most come
 * in the evening.
 */
const HOURS = [
  2, 1, 0.6, 0.4, 0.4, 0.6, 1.5, 3, 5, 6, 6, 5.5, 6, 6, 5, 5, 5.5, 6, 7, 8, 9, 8.5, 6.5, 4,
] as const;
const HOURS_SUM = HOURS.reduce((sum, weight) => sum + weight, 0);
/**
 * Time zones in hours ahead of UTC; `upTo` is the cumulative share of the people who live there.
 */
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
  /** Accounts below this position, which examples name, never delete a post. */
  readonly steadyAccounts: number;
}

export type PlannedPosts = ReturnType<typeof createPlannedPosts>;

/** Creates the posting plan of one world. `on` has no cache of its own. */
export function createPlannedPosts(options: PlannedPostOptions) {
  const { seed } = options;
  const [daySalt, zoneSalt] = [hash32(seed, "author-day"), hash32(seed, "zone")];
  const zoneOf = (author: number): number => {
    const chance = fraction(zoneSalt, author);
    return ZONES.find((zone) => chance < zone.upTo)?.aheadHours ?? 0;
  };

  /** Returns the posts of one day, oldest first, no two at the same moment. */
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
  /** Whether the author ever deletes posts. */
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
  // One post in three follows soon after the one before.
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

/** Returns a factor for the day: some days are quiet and some loud, with a mean of one. */
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
 * Moves posts of the same moment apart, because ids consist of moment and author. Changes them in
 * place, so that threads stay connected.
 */
function apart(sorted: Draft[]): readonly PlannedPost[] {
  for (let i = 1; i < sorted.length; i += 1) {
    const [one, next] = [sorted[i - 1] as Draft, sorted[i] as Draft];
    if (next.atMs <= one.atMs) next.atMs = one.atMs + 1;
  }
  return sorted;
}
