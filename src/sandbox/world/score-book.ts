/** Influence scores: refreshed once a day, waves of a week and a month; every few seconds for the stars of a demo. */
import type { Account } from "./accounts.ts";
import { demoScore, type Pace } from "./demo-pace.ts";
import { unit } from "./dice.ts";

export interface ScoreChange {
  readonly week_delta: number;
  readonly month_delta: number;
}

const DAY_MS = 86_400_000;

/** The scores of one world. */
export function createScoreBook(seed: number, startMs: number, pace: Pace) {
  const fixed = new Map<number, ScoreChange>();

  function scoreOn(account: Account, day: number): number {
    const week = Math.sin(2 * Math.PI * (day / 7.3 + unit(seed, "week", account.index)));
    const month = Math.sin(2 * Math.PI * (day / 37 + unit(seed, "month", account.index)));
    return account.baseScore * (1 + 0.02 * week + 0.04 * month + 0.01 * unit(seed, "score", account.index, day));
  }

  return {
    score: (account: Account, nowMs: number): number => Math.round(scoreOn(account, Math.floor(nowMs / DAY_MS)) * 100) / 100,
    changes(account: Account, nowMs: number): ScoreChange {
      const set = fixed.get(account.index);
      if (set !== undefined) return set;
      if (pace === "demo" && account.index < 2) {
        const { week, month } = demoScore(startMs, nowMs, account.index);
        return { week_delta: week, month_delta: month };
      }
      const day = Math.floor(nowMs / DAY_MS);
      const today = scoreOn(account, day);
      return { week_delta: Math.round(today - scoreOn(account, day - 7)), month_delta: Math.round(today - scoreOn(account, day - 30)) };
    },
    set: (account: number, change: ScoreChange): void => void fixed.set(account, change),
  };
}
