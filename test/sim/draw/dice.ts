/**
 * Draws values from a seed. Each seed has its own taste: an option is common in one and rare in
 * another.
 */
import { createSeededRandom } from "../../support/seeded-random.ts";

export interface Dice {
  /** Both ends included. */
  int(from: number, to: number): number;
  chance(share: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** Draws some of the items, at least `least`, and keeps their order. */
  some<T>(items: readonly T[], least: number, most?: number): readonly T[];
  shuffled<T>(items: readonly T[]): readonly T[];
  /** Decides whether to use an option here. Each seed has its own probability for each option. */
  likes(option: string): boolean;
  /** Returns other dice of the same seed. Whatever they draw does not change what these draw. */
  apart(name: string): Dice;
}

/** The probabilities from which a seed draws one for each option. */
const TASTES = [0, 0.1, 0.3, 0.6, 0.95];

/** A prime, so that two pairs of a seed and a name rarely meet. */
const APART = 1_000_003;

const sumOf = (name: string): number => Buffer.from(name).reduce((sum, byte) => sum + byte, 1);

export function createDice(seed: number): Dice {
  const random = createSeededRandom(seed * 7_919 + 17);
  // The first numbers of neighbouring seeds are alike, so they are skipped.
  for (let n = 0; n < 8; n += 1) random.float();
  const tastes = new Map<string, number>();
  const int = (from: number, to: number) => from + Math.floor(random.float() * (to - from + 1));
  const chance = (share: number) => random.float() < share;
  const pick = <T>(items: readonly T[]): T => items[int(0, items.length - 1)] as T;
  const shuffled = <T>(items: readonly T[]): readonly T[] => {
    const left = [...items];
    return items.map(() => left.splice(int(0, left.length - 1), 1)[0] as T);
  };
  return {
    apart: (name) => createDice(seed + APART * sumOf(name)),
    int,
    chance,
    pick,
    shuffled,
    some: (items, least, most = items.length) => {
      const wanted = new Set(shuffled(items).slice(0, int(least, Math.min(most, items.length))));
      return items.filter((item) => wanted.has(item));
    },
    likes: (option) => {
      const taste = tastes.get(option) ?? pick(TASTES);
      tastes.set(option, taste);
      return chance(taste);
    },
  };
}
