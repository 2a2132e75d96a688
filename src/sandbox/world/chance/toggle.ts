/**
 * Ties between two things, such as follows and memberships. Most ties never change; some begin and
 * end repeatedly. Whether a tie exists depends only on the seed, both sides and the time.
 */
import { DAY_MS } from "./daily.ts";
import { fraction } from "./dice.ts";

export interface Tie {
  readonly isOn: boolean;
  /**
   * When the present state began (epoch ms). If the tie never changes, this is long ago, or 0 if it
   * never exists.
   */
  readonly sinceMs: number;
}

export interface ToggleOptions {
  /** A hash of the seed and the kind of tie, so that different kinds of ties are independent. */
  readonly salt: number;
  /** The share of all pairs that have the tie at any moment. */
  readonly share: number;
  /** The share of all pairs whose tie begins and ends repeatedly. */
  readonly restless: number;
  /** The time (epoch ms) before which ties that never change began. */
  readonly zeroMs: number;
}

/** The period of a changing tie is 20 to 60 days; the tie exists for half of it. */
const PERIOD_DAYS = 20;
const PERIOD_SPREAD_DAYS = 40;
const LONG_AGO_MS = 900 * DAY_MS;

/** Returns the state of the tie between `a` and `b` at a moment. */
export function tieAt(
  { salt, share, restless, zeroMs }: ToggleOptions,
  a: number,
  b: number,
  nowMs: number,
): Tie {
  const chance = fraction(salt, a, b, 1);
  const steady = share - restless / 2;
  if (chance < steady)
    return { isOn: true, sinceMs: zeroMs - 1 - Math.floor(fraction(salt, a, b, 2) * LONG_AGO_MS) };
  if (chance >= steady + restless) return { isOn: false, sinceMs: 0 };
  const { halfMs, shiftMs } = rhythmOf(salt, a, b);
  const halves = Math.floor((nowMs + shiftMs) / halfMs);
  return { isOn: halves % 2 === 0, sinceMs: Math.ceil(halves * halfMs - shiftMs) };
}

/**
 * Whether the pair ever has the tie. A pair that never has it need not be checked at any moment.
 */
export const canTie = ({ salt, share, restless }: ToggleOptions, a: number, b: number): boolean =>
  fraction(salt, a, b, 1) < share + restless / 2;

/**
 * Returns the spells of a changing tie that begin between `zeroMs` and `toMs`, earliest first. A
 * spell is a time during which the tie exists. Empty for a tie that never changes.
 */
export function spellsOf(
  { salt, share, restless, zeroMs }: ToggleOptions,
  a: number,
  b: number,
  toMs: number,
): readonly Spell[] {
  const chance = fraction(salt, a, b, 1);
  if (chance < share - restless / 2 || chance >= share + restless / 2) return [];
  const { halfMs, shiftMs } = rhythmOf(salt, a, b);
  const spells: Spell[] = [];
  for (
    let half = 2 * Math.ceil((zeroMs + shiftMs) / halfMs / 2);
    half * halfMs - shiftMs <= toMs;
    half += 2
  ) {
    spells.push({
      atMs: Math.ceil(half * halfMs - shiftMs),
      untilMs: Math.ceil((half + 1) * halfMs - shiftMs),
    });
  }
  return spells;
}

export interface Spell {
  readonly atMs: number;
  readonly untilMs: number;
}

function rhythmOf(
  salt: number,
  a: number,
  b: number,
): { readonly halfMs: number; readonly shiftMs: number } {
  const halfMs = ((PERIOD_DAYS + fraction(salt, a, b, 3) * PERIOD_SPREAD_DAYS) * DAY_MS) / 2;
  return { halfMs, shiftMs: fraction(salt, a, b, 4) * 2 * halfMs };
}
