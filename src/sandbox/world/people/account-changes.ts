/**
 * Changes that accounts make by themselves: they get new names and bios, are protected for some
 * days, are suspended for some weeks, or are deleted permanently. These changes are rare and happen
 * at times that depend only on the seed and the account. Except for new bios and pictures, they
 * never happen to the first hundred accounts, because examples and samples name those.
 */
import { DAY_MS } from "../chance/daily.ts";
import { fraction, hash32 } from "../chance/dice.ts";

/** Accounts below this position are never renamed and can always be read. */
export const STEADY_ACCOUNTS = 100;
/** The number of accounts at the beginning, the stars, that never change at all. */
const STARS = 5;
/** The time (epoch ms) from which on renames are counted. */
const RENAMES_FROM_MS = Date.UTC(2024, 0, 1);

interface Rhythm {
  readonly salt: number;
  /** The length of a period in days. An account can change once per period, at a random time. */
  readonly everyDays: number;
  readonly chance: number;
}

/** The rhythm of a change that ends after some days. */
interface SpellRhythm extends Rhythm {
  readonly leastDays: number;
  readonly mostDays: number;
}

export interface AccountChangesOptions {
  readonly seed: number;
  readonly startMs: number;
  /**
   * The number of accounts that the world had at its start. Accounts that were added later change
   * only by hand.
   */
  readonly count: number;
}

export type AccountChanges = ReturnType<typeof createAccountChanges>;

/** Creates the changes of all accounts of one world. */
export function createAccountChanges({ seed, startMs, count }: AccountChangesOptions) {
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
    /** Returns the times of the account's renames up to now (epoch ms), earliest first. */
    renames: (key: number, nowMs: number): readonly number[] =>
      isWild(key) ? momentsUpTo(renamed, key, RENAMES_FROM_MS, nowMs) : [],
    /** Returns how often the bio, the name or the picture has changed since the world's start. */
    revisions: (key: number, nowMs: number): number =>
      key >= STARS && key < count ? momentsUpTo(revised, key, startMs, nowMs).length : 0,
    isProtected: (key: number, nowMs: number): boolean =>
      isWild(key) && isInSpell(protectedFor, key, nowMs),
    isSuspended: (key: number, nowMs: number): boolean =>
      isWild(key) && isInSpell(suspendedFor, key, nowMs),
    isDeleted: (key: number, nowMs: number): boolean =>
      isWild(key) &&
      nowMs >= startMs - Math.log(1 - fraction(deletedSalt, key)) * MEAN_LIFE_DAYS * DAY_MS,
    /**
     * Whether the search index leaves the account out. The service leaves out about one account in
     * a hundred (docs/service.md section 5).
     */
    isHiddenFromSearch: (key: number): boolean => isWild(key) && fraction(hiddenSalt, key) < 0.01,
  };
}

const MEAN_LIFE_DAYS = 800;

/**
 * Returns the time of the change within a period; undefined if the account does not change in this
 * period.
 */
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
 * Whether a change that ends after some days is present now. The duration is shorter than a period,
 * so only the changes of this and of the previous period have to be checked.
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
