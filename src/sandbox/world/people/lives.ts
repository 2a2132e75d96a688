/**
 * What happens to accounts by themselves: new names, new bios, protected for some days, suspended
 * for some weeks, deleted for good. Rare, at seeded moments, and never to the first hundred:
 * examples and samples name those. A pure function of account and time.
 */
import { DAY_MS } from "../chance/daily.ts";
import { fraction, hash32 } from "../chance/dice.ts";

/** Accounts below this position keep their names and can always be read. */
export const STEADY_ACCOUNTS = 100;
/** The stars never change at all. */
const STARS = 5;
/** Renames before this day are nobody's business. */
const RENAMES_FROM_MS = Date.UTC(2024, 0, 1);

interface Rhythm {
  readonly salt: number;
  /** One chance in every period of so many days, at a moment of its own. */
  readonly everyDays: number;
  readonly chance: number;
}

/** What begins then lasts for some days. */
interface SpellRhythm extends Rhythm {
  readonly leastDays: number;
  readonly mostDays: number;
}

export interface LivesOptions {
  readonly seed: number;
  readonly startMs: number;
  /** Accounts the world began with; others live as their makers say. */
  readonly count: number;
}

export type Lives = ReturnType<typeof createLives>;

/** The lives of one world's accounts. */
export function createLives({ seed, startMs, count }: LivesOptions) {
  const salt = (what: string): number => hash32(seed, "life", what);
  const renamed: Rhythm = { salt: salt("renamed"), everyDays: 90, chance: 0.6 };
  const revised: Rhythm = { salt: salt("revised"), everyDays: 40, chance: 0.8 };
  const protectedFor: SpellRhythm = {
    salt: salt("protected"),
    everyDays: 60,
    chance: 0.2,
    leastDays: 0.5,
    mostDays: 5,
  };
  const suspendedFor: SpellRhythm = {
    salt: salt("suspended"),
    everyDays: 90,
    chance: 0.2,
    leastDays: 1,
    mostDays: 20,
  };
  const [deletedSalt, hiddenSalt] = [salt("deleted"), salt("hidden")];
  const isWild = (key: number): boolean => key >= STEADY_ACCOUNTS && key < count;

  return {
    /** Moments of its renames up to now, earliest first. */
    renames: (key: number, nowMs: number): readonly number[] =>
      isWild(key) ? momentsUpTo(renamed, key, RENAMES_FROM_MS, nowMs) : [],
    /** How often bio, name and picture were changed since the world's start. */
    revisions: (key: number, nowMs: number): number =>
      key >= STARS && key < count ? momentsUpTo(revised, key, startMs, nowMs).length : 0,
    isProtected: (key: number, nowMs: number): boolean =>
      isWild(key) && isInSpell(protectedFor, key, nowMs),
    isSuspended: (key: number, nowMs: number): boolean =>
      isWild(key) && isInSpell(suspendedFor, key, nowMs),
    isDeleted: (key: number, nowMs: number): boolean =>
      isWild(key) &&
      nowMs >= startMs - Math.log(1 - fraction(deletedSalt, key)) * MEAN_LIFE_DAYS * DAY_MS,
    /** Left out by the search index, as one in a hundred is (docs/service.md section 5). */
    isHiddenFromSearch: (key: number): boolean => isWild(key) && fraction(hiddenSalt, key) < 0.01,
  };
}

const MEAN_LIFE_DAYS = 800;

/** The moment of one period; undefined where nothing happens in it. */
function momentIn(
  { salt, everyDays, chance }: Rhythm,
  key: number,
  period: number,
): number | undefined {
  if (fraction(salt, key, period, 1) >= chance) return undefined;
  return Math.floor((period + fraction(salt, key, period, 2)) * everyDays * DAY_MS);
}

function momentsUpTo(
  rhythm: Rhythm,
  key: number,
  fromMs: number,
  nowMs: number,
): readonly number[] {
  const periodMs = rhythm.everyDays * DAY_MS;
  const moments: number[] = [];
  for (let period = Math.floor(fromMs / periodMs); period * periodMs <= nowMs; period += 1) {
    const atMs = momentIn(rhythm, key, period);
    if (atMs !== undefined && atMs >= fromMs && atMs <= nowMs) moments.push(atMs);
  }
  return moments;
}

/**
 * Spells are shorter than a period, so that only this one and the one before can last until now.
 */
function isInSpell(rhythm: SpellRhythm, key: number, nowMs: number): boolean {
  const { leastDays, mostDays } = rhythm;
  const period = Math.floor(nowMs / (rhythm.everyDays * DAY_MS));
  return [period - 1, period].some((each) => {
    const atMs = momentIn(rhythm, key, each);
    const lastsDays = leastDays + fraction(rhythm.salt, key, each, 3) * (mostDays - leastDays);
    return atMs !== undefined && atMs <= nowMs && nowMs < atMs + lastsDays * DAY_MS;
  });
}
