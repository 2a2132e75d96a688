/**
 * When each account posts, day by day: moments and kinds, before anyone knows the words. A day of
 * an account is a pure function of seed, account and day, so that a timeline or a counter costs no
 * more than the days it reads, however many accounts there are.
 */
import type { TweetKind } from "../../../model/tweet.ts";
import { DAY_MS } from "./daily.ts";
import { diceFrom, fraction, hash32, mix, poisson } from "./dice.ts";

export interface Sketch {
  readonly atMs: number;
  readonly kind: TweetKind;
  /** The part of a thread before this one. */
  readonly after?: Sketch;
  /** Photos, videos and the like: what media_count counts. */
  readonly hasMedia: boolean;
  /** When its author takes it back; absent for nearly all. */
  readonly deletedMs?: number;
}

/** Nobody deletes a tweet later than so long after it. */
export const REGRET_MS = 2 * DAY_MS;
const REGRETS = 0.006;
const BURST_MS = 8 * 60_000;
const HOUR_MS = 3_600_000;
/** How the hours of a person's day share its posts: asleep until seven, loudest in the evening. */
const HOURS = [
  2, 1, 0.6, 0.4, 0.4, 0.6, 1.5, 3, 5, 6, 6, 5.5, 6, 6, 5, 5, 5.5, 6, 7, 8, 9, 8.5, 6.5, 4,
] as const;
const HOURS_SUM = HOURS.reduce((sum, weight) => sum + weight, 0);
/** Hours ahead of UTC, and the share of people who live there. */
const ZONES = [
  { aheadHours: 1, upTo: 0.4 },
  { aheadHours: -5, upTo: 0.65 },
  { aheadHours: -8, upTo: 0.8 },
  { aheadHours: 9, upTo: 0.92 },
  { aheadHours: 5, upTo: 1 },
] as const;
const NONE: readonly Sketch[] = [];

type Draft = { -readonly [Name in keyof Sketch]: Sketch[Name] };

export interface SketchOptions {
  readonly seed: number;
  postsPerDay(author: number): number;
  /** Accounts that examples name take nothing back. */
  readonly steadyAccounts: number;
}

export type Sketches = ReturnType<typeof createSketches>;

/** The posting of one world. `on` is not remembered here. */
export function createSketches(options: SketchOptions) {
  const { seed } = options;
  const [daySalt, zoneSalt] = [hash32(seed, "author-day"), hash32(seed, "zone")];
  const zoneOf = (author: number): number => {
    const chance = fraction(zoneSalt, author);
    return ZONES.find((zone) => chance < zone.upTo)?.aheadHours ?? 0;
  };

  /** Oldest first; no two at the same moment. */
  function on(author: number, day: number): readonly Sketch[] {
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
    for (let i = 0; i < count; i += 1) drafts.push(sketch(authorDay, drafts.at(-1)));
    return apart(drafts.sort((a, b) => a.atMs - b.atMs));
  }

  return { on };
}

interface AuthorDay {
  readonly startMs: number;
  readonly aheadHours: number;
  /** Whether the author takes posts back at all. */
  readonly regrets: boolean;
  readonly dice: () => number;
}

function sketch(
  { startMs, aheadHours, regrets, dice }: AuthorDay,
  before: Sketch | undefined,
): Sketch {
  const chance = dice();
  const isThread =
    chance < 0.06 && before !== undefined && (before.kind === "post" || before.after !== undefined);
  const soonMs = isThread
    ? 4_000 + Math.floor(dice() * 20_000)
    : Math.floor(-Math.log(1 - dice()) * BURST_MS) + 5_000;
  // One post in three comes in the heat of the one before.
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

/** Some days are quiet, some loud; one on average. */
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
 * Ids carry the moment and the author: an author's moments must differ. Changes them in place, so
 * that threads still hang together.
 */
function apart(sorted: Draft[]): readonly Sketch[] {
  for (let i = 1; i < sorted.length; i += 1) {
    const [one, next] = [sorted[i - 1] as Draft, sorted[i] as Draft];
    if (next.atMs <= one.atMs) next.atMs = one.atMs + 1;
  }
  return sorted;
}
