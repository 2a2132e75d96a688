/**
 * How accounts change by themselves: they get new names and bios, are protected for some days,
 * suspended for some weeks, or deleted for good. Changes are rare, at seeded moments, and never
 * happen to the first hundred accounts, because examples and samples name those. A pure function of
 * account and time.
 */
import { DAY_MS } from "../chance/daily.ts";
import { fraction, hash32 } from "../chance/dice.ts";

/** Accounts below this position keep their names and can always be read. */
export const STEADY_ACCOUNTS = 100;
/** The first accounts, the stars, never change at all. */
const STARS = 5;
/** Renames before this day are not reported. */
const RENAMES_FROM_MS = Date.UTC(2024, 0, 1);

interface Rhythm {
  readonly salt: number;
  /**
   * A change is possible once in every period of this many days, at a different moment for each
   * account.
   */
  readonly everyDays: number;
  readonly chance: number;
}

/** A change that lasts for some days. */
interface SpellRhythm extends Rhythm {
  readonly leastDays: number;
  readonly mostDays: number;
}

export interface AccountChangesOptions {
  readonly seed: number;
  readonly startMs: number;
  /** How many accounts the world began with. Accounts that were added later change only by hand. */
  readonly count: number;
}

export type AccountChanges = ReturnType<typeof createAccountChanges>;

/** Creates the changes of one world's accounts. */
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
    /** Returns the times of the account's renames up to now, earliest first. */
    renames: (key: number, nowMs: number): readonly number[] =>
      isWild(key) ? momentsUpTo(renamed, key, RENAMES_FROM_MS, nowMs) : [],
    /** Returns how often bio, name and picture have changed since the world's start. */
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
     * Whether the search index leaves the account out, as it does with one in a hundred
     * (docs/service.md section 5).
     */
    isHiddenFromSearch: (key: number): boolean => isWild(key) && fraction(hiddenSalt, key) < 0.01,
  };
}

const MEAN_LIFE_DAYS = 800;

/** Returns the moment of the change in one period; undefined if nothing changes in it. */
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
 * Whether a lasting change is on. It is shorter than a period, so only this period's and the
 * previous one's can still last.
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
