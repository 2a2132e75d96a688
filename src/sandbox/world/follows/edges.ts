/**
 * Which accounts of the world follow each other. Everyone has a handful of possible ties to others,
 * at fixed distances, so that both directions are found without a table; the stars are followed by
 * many. Some ties come and go.
 */
import { hash32, mix } from "../chance/dice.ts";
import { type Spell, spellsOf, type Tie, tieAt, type ToggleOptions } from "../chance/toggle.ts";

const DISTANCES = 24;
const STARS = 5;
/** Only so many accounts follow stars, so that large worlds stay quick. */
const FANS = 300;

export interface EdgeOptions {
  readonly seed: number;
  /** Accounts the world began with. */
  readonly count: number;
  /** Ties that never change began before this. */
  readonly firstDayMs: number;
}

export type Edges = ReturnType<typeof createEdges>;

/** The ties between the accounts of one world. */
export function createEdges({ seed, count, firstDayMs }: EdgeOptions) {
  const distances = [
    ...new Set(
      Array.from({ length: DISTANCES }, (_, i) =>
        count < 2 ? 0 : 1 + (mix(hash32(seed, "edge-far"), i) % (count - 1)),
      ),
    ),
  ];
  const fans = Array.from({ length: Math.min(count, FANS) }, (_, fan) => fan);
  const stars = Array.from({ length: Math.min(count, STARS) }, (_, star) => star);
  const toggle: ToggleOptions = {
    salt: hash32(seed, "edge"),
    share: 0.45,
    restless: 0.4,
    zeroMs: firstDayMs,
  };
  const others = (key: number, more: readonly number[], sign: number): readonly number[] => {
    const near = distances.map((far) => (key + sign * far + count) % count);
    return more.length === 0
      ? near
      : [...new Set([...more, ...near])].filter((other) => other !== key);
  };

  return {
    /** Who may follow the account; empty for those the world did not begin with. */
    sourcesOf: (to: number): readonly number[] =>
      to >= count ? [] : others(to, to < STARS ? fans : [], -1),
    /** Whom the account may follow. */
    targetsOf: (from: number): readonly number[] =>
      from >= count ? [] : others(from, from < FANS ? stars : [], 1),
    isPossible(from: number, to: number): boolean {
      if (from >= count || to >= count || from === to) return false;
      return (to < STARS && from < FANS) || distances.includes((to - from + count) % count);
    },
    tie: (from: number, to: number, nowMs: number): Tie => tieAt(toggle, from, to, nowMs),
    /** Those that began on the first day or later. */
    spells: (from: number, to: number, toMs: number): readonly Spell[] =>
      spellsOf(toggle, from, to, toMs),
  };
}
