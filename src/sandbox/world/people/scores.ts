/**
 * Influence scores. A generated score changes once a day, in waves of about a week and about a
 * month. The changes that the API reports are computed from these values.
 */
import { DAY_MS } from "../chance/daily.ts";
import { fraction, hash32 } from "../chance/dice.ts";
import type { PeopleDirectory } from "./people-directory.ts";

export interface ScoreChange {
  readonly week_delta: number;
  readonly month_delta: number;
}

/** Creates the scores of one world, by user key. A user without a score has 0. */
export function createScores(people: PeopleDirectory, seed: number) {
  const salt = hash32(seed, "score");
  const fixed = new Map<number, ScoreChange & { readonly score?: number }>();
  const recorded = new Map<number, ScoreChange & { readonly score: number }>();

  function scoreOn(key: number, day: number): number {
    const base = people.account(key)?.baseScore ?? 0;
    const week = Math.sin(2 * Math.PI * (day / 7.3 + fraction(salt, key, 0, 1)));
    const month = Math.sin(2 * Math.PI * (day / 37 + fraction(salt, key, 0, 2)));
    return base * (1 + 0.02 * week + 0.04 * month + 0.01 * fraction(salt, key, day, 3));
  }

  function changes(key: number, nowMs: number): ScoreChange {
    const set = fixed.get(key) ?? recorded.get(key);
    if (set !== undefined) return { week_delta: set.week_delta, month_delta: set.month_delta };
    const day = Math.floor(nowMs / DAY_MS);
    const today = scoreOn(key, day);
    return {
      week_delta: Math.round(today - scoreOn(key, day - 7)),
      month_delta: Math.round(today - scoreOn(key, day - 30)),
    };
  }

  /**
   * Returns the score. If only the week's change was set by hand, the score is that of a week ago
   * plus this change.
   */
  function score(key: number, nowMs: number): number {
    const set = fixed.get(key)?.score;
    if (set !== undefined) return set;
    const known = recorded.get(key);
    const day = Math.floor(nowMs / DAY_MS);
    const isSet = fixed.has(key);
    if (known !== undefined)
      return known.score + (isSet ? changes(key, nowMs).week_delta - known.week_delta : 0);
    const value = isSet
      ? scoreOn(key, day - 7) + changes(key, nowMs).week_delta
      : scoreOn(key, day);
    return Math.round(value * 100) / 100;
  }

  return {
    /**
     * Whether the user has a score. The crowd and accounts that were recorded without a score have
     * none.
     */
    knows: (key: number): boolean =>
      people.account(key) !== undefined || recorded.has(key) || fixed.has(key),
    score,
    changes,
    /** Sets the given fields by hand. The others stay as they are. */
    set(
      key: number,
      change: Partial<ScoreChange> & { readonly score?: number },
      nowMs: number,
    ): void {
      fixed.set(key, { ...changes(key, nowMs), ...fixed.get(key), ...change });
    },
    record: (key: number, seen: ScoreChange & { readonly score: number }): void =>
      void recorded.set(key, seen),
  };
}
