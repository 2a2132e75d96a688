/** Compares the models behind the rates with workloads they do not know. */
import { expect, it } from "vitest";
import { modelFreshness } from "../../bench/economy/model.ts";
import { createWorkload } from "../../bench/economy/workload.ts";
import { expectedRate, firstRate } from "../../src/plan/rates/rates.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.UTC(2026, 2, 2);
const SEEDS = [1, 2, 3, 4, 5, 6];

const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);

const workloadOf = (seed: number) => {
  const { world, rates } = createWorkload({ seed, accounts: 500, startMs: START, days: 10 });
  return { rates, posts: world.accounts.map(({ posts }) => posts.map(({ atMs }) => atMs)) };
};

it("learns rates from first pages whose sum is close to that of the true rates", () => {
  const ratios = SEEDS.map((seed) => {
    const { rates, posts } = workloadOf(seed);
    const learned = posts.map((datesMs) =>
      expectedRate(firstRate(datesMs.filter((atMs) => atMs <= START).slice(-20), START), START),
    );
    return sum(learned) / sum(rates);
  });
  // By chance one seed of 500 accounts is off by 7%, and the mean of six seeds by 3%. A bias of 10%
  // would show.
  expect(Math.abs(sum(ratios) / ratios.length - 1)).toBeLessThan(0.08);
});

it.each([
  [600, 60],
  [1_000, 10],
])(
  "begins at the pace that %i accounts are probed at later for a mean of %i s",
  (accounts, seconds) => {
    const meanMs = seconds * 1_000;
    const { learnedWorth } = modelFreshness({
      seed: 1,
      accounts,
      meanMs,
      maxMs: Math.max(4 * HOUR, 20 * meanMs),
      days: 0.1,
    });
    // Intervals depend on the root of the worth.
    expect(Math.abs(Math.sqrt(learnedWorth) - 1)).toBeLessThan(0.35);
  },
);
