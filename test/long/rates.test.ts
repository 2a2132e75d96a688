/** The models behind the rates, beside workloads they do not know. */
import { expect, it } from "vitest";
import { modelFreshness } from "../../bench/economy/model.ts";
import { createWorkload } from "../../bench/economy/workload.ts";
import { costOfProbing } from "../../src/groups/accounts/account-cost.ts";
import { expectedRate, firstRate, shareApart } from "../../src/plan/rates/rates.ts";
import { FIRST_LIMITS, handlesPerQuery } from "../../src/query/merging/merge.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 2, 2);
const SEEDS = [1, 2, 3, 4, 5, 6];

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** By the true rates of each workload, without full polls: 10% for one seed, 5% for the mean of three, whose posts differ by some 2%. */
it.each([
  [300, 300],
  [600, 120],
])("agrees with what the rules alone ask for %i accounts found in bursts", (accounts, seconds) => {
  const meanMs = seconds * 1_000;
  const maxMs = Math.max(4 * HOUR, 20 * meanMs);
  const ratios = [1, 2, 3].map((seed) => {
    const { requestsPerDay, delayMs, rates } = modelFreshness({ seed, accounts, meanMs, maxMs, days: 2 });
    const group = { rates, intervalMs: 2 * meanMs, handlesPerQuery: handlesPerQuery(FIRST_LIMITS) };
    const cost = costOfProbing(group, { kind: "freshness", freshness: { kind: "mean", meanMs: delayMs.mean, maxMs } });
    return (cost.probesPerDay + cost.readsPerDay) / requestsPerDay;
  });
  for (const ratio of ratios) expect(Math.abs(ratio - 1)).toBeLessThan(0.1);
  expect(Math.abs(sum(ratios) / ratios.length - 1)).toBeLessThan(0.05);
});

const workloadOf = (seed: number) => {
  const { world, rates } = createWorkload({ seed, accounts: 500, startMs: START, days: 10 });
  return { rates, posts: world.accounts.map(({ posts }) => posts.map(({ atMs }) => atMs)) };
};

it("learns rates from first pages whose sum is that of the true ones", () => {
  const ratios = SEEDS.map((seed) => {
    const { rates, posts } = workloadOf(seed);
    const learned = posts.map((datesMs) => expectedRate(firstRate(datesMs.filter((atMs) => atMs <= START).slice(-20), START), START));
    return sum(learned) / sum(rates);
  });
  // One seed of 500 accounts is off by 7% by chance, the mean of six by 3%: a bias of 10% would show.
  expect(Math.abs(sum(ratios) / ratios.length - 1)).toBeLessThan(0.08);
});

it.each([2 * MINUTE, 10 * MINUTE, HOUR])("knows in how many times of %i ms the posts of bursts come", (spanMs) => {
  const spans = (10 * DAY) / spanMs;
  let [counted, predicted] = [0, 0];
  for (const seed of SEEDS) {
    const { rates, posts } = workloadOf(seed);
    for (const [index, datesMs] of posts.entries()) {
      counted += new Set(datesMs.filter((atMs) => atMs > START).map((atMs) => Math.floor((atMs - START) / spanMs))).size;
      predicted += spans * (1 - Math.exp((-shareApart(spanMs) * (rates[index] ?? 0)) / (DAY / spanMs)));
    }
  }
  // Some 70,000 posts in bursts of two on average: 1% by chance.
  expect(Math.abs(predicted / counted - 1)).toBeLessThan(0.04);
});

it.each([
  [600, 60],
  [1_000, 10],
])("begins at the pace that %i accounts are probed at later for a mean of %i s", (accounts, seconds) => {
  const meanMs = seconds * 1_000;
  const { learnedWorth } = modelFreshness({ seed: 1, accounts, meanMs, maxMs: Math.max(4 * HOUR, 20 * meanMs), days: 0.1 });
  // Intervals go by its root.
  expect(Math.abs(Math.sqrt(learnedWorth) - 1)).toBeLessThan(0.25);
});
