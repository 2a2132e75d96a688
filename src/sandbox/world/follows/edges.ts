/**
 * Decides which accounts of the world follow each other. An account can only follow accounts at
 * certain distances from its position, the same distances for all, so that both directions can be
 * computed without a table. The first five accounts, the stars, can be followed by many others.
 * Some follows begin and end repeatedly.
 */
import { hash32, mix } from "../chance/dice.ts";
import { type Spell, spellsOf, type Tie, tieAt, type ToggleOptions } from "../chance/toggle.ts";

const DISTANCES = 24;
const STARS = 5;
/**
 * The number of accounts that can follow the stars. It is limited so that large worlds stay fast.
 */
const FANS = 300;

export interface EdgeOptions {
  readonly seed: number;
  /** The number of accounts that the world had at its start. */
  readonly count: number;
  /** The time (epoch ms) before which ties that never change began. */
  readonly firstDayMs: number;
}

export type Edges = ReturnType<typeof createEdges>;

/** Creates the follows between the accounts of one world. */
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
    /** Returns the accounts that can follow this account; none if it was added later. */
    sourcesOf: (to: number): readonly number[] =>
      to >= count ? [] : others(to, to < STARS ? fans : [], -1),
    /** Returns the accounts that this account can follow; none if it was added later. */
    targetsOf: (from: number): readonly number[] =>
      from >= count ? [] : others(from, from < FANS ? stars : [], 1),
    isPossible(from: number, to: number): boolean {
      if (from >= count || to >= count || from === to) return false;
      return (to < STARS && from < FANS) || distances.includes((to - from + count) % count);
    },
    tie: (from: number, to: number, nowMs: number): Tie => tieAt(toggle, from, to, nowMs),
    /**
     * Returns the times during which the follow existed, if they began on the first day or later.
     */
    spells: (from: number, to: number, toMs: number): readonly Spell[] =>
      spellsOf(toggle, from, to, toMs),
  };
}
