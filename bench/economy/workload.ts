/**
 * The posts of a group of accounts, from a seed: log-normal rates (median 0.4 posts a day, mean 3),
 * with half of the posts within minutes of others. The world that serves them shows counters at
 * once, timelines within a second and the search within two; one post in a hundred is minutes late.
 */
import { type AccountsWorld, createAccountsWorld } from "../../test/support/accounts-world.ts";
import { createSeededRandom } from "../../test/support/seeded-random.ts";

export const DAY_MS = 86_400_000;
const HISTORY_DAYS = 30;
const MEDIAN = 0.4;
const MEAN = 3;
const SIGMA = Math.sqrt(2 * Math.log(MEAN / MEDIAN));
/** The highest rate of an account. */
const MOST_PER_DAY = 150;
const PROMPTED = 0.5;
const PROMPTED_WITHIN_MS = 8 * 60_000;

export interface Workload {
  readonly world: AccountsWorld;
  /** The drawn posts per day of each account. */
  readonly rates: readonly number[];
  /** The number of posts from `startMs` on. */
  readonly posts: number;
}

export function createWorkload(options: {
  readonly seed: number;
  readonly accounts: number;
  readonly startMs: number;
  readonly days: number;
}): Workload {
  const { startMs } = options;
  const { float } = createSeededRandom(options.seed);
  const world = createAccountsWorld();
  const rates: number[] = [];
  const exponential = (mean: number) => -Math.log(1 - float()) * mean;
  const normal = () => Math.sqrt(-2 * Math.log(1 - float())) * Math.cos(2 * Math.PI * float());
  const endMs = startMs + options.days * DAY_MS;
  let posts = 0;

  const timesOf = (rate: number): readonly number[] => {
    const times: number[] = [];
    const spawn = (atMs: number): void => {
      times.push(atMs);
      for (let chance = Math.exp(-PROMPTED), drawn = float(); drawn > chance; drawn *= float()) {
        const nextMs = atMs + exponential(PROMPTED_WITHIN_MS);
        if (nextMs < endMs) spawn(nextMs);
      }
    };
    const meanGapMs = DAY_MS / (rate * (1 - PROMPTED));
    for (
      let atMs = startMs - HISTORY_DAYS * DAY_MS + exponential(meanGapMs);
      atMs < endMs;
      atMs += exponential(meanGapMs)
    )
      spawn(atMs);
    return times.sort((a, b) => a - b).map(Math.floor);
  };

  for (let index = 0; index < options.accounts; index += 1) {
    const rate = Math.min(MEDIAN * Math.exp(SIGMA * normal()), MOST_PER_DAY);
    rates.push(rate);
    const account = world.add(`account_${index}`);
    for (const atMs of timesOf(rate)) {
      if (atMs >= startMs) posts += 1;
      const searchLagMs = float() < 0.01 ? 30_000 + float() * 200_000 : 200 + float() * 1_800;
      world.post(account, atMs, {
        visibleLagMs: 0,
        searchLagMs: Math.floor(searchLagMs),
        isRetweet: float() < 0.15,
      });
    }
  }
  return { world, rates, posts };
}
