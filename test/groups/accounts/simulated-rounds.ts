/**
 * Simulates accounts that post at random and are requested in rounds for days. Calibrations of
 * these rounds measure it.
 */
import { longestWaitMs, type P95 } from "../../../src/plan/delay-aims.ts";
import {
  busyRate,
  chooseRound,
  learnLate,
  roundEveryMs,
} from "../../../src/groups/accounts/pacing/group-p95.ts";
import { firstRate, learnPosts, rateAt } from "../../../src/plan/rates/rates.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";

const MIN = 60_000;
const DAY = 24 * 60 * MIN;

/**
 * Simulates accounts in rounds from the first read on. They post at random, half of the time soon
 * after another post.
 */
export function runRounds(rates: readonly number[], freshness: P95, days: number, seed: number) {
  const { float } = createSeededRandom(seed);
  const exponential = (meanMs: number) => -Math.log(1 - float()) * meanMs;
  const postsOf = (rate: number): readonly number[] => {
    const times: number[] = [];
    const post = (atMs: number): void => {
      times.push(atMs);
      for (let chance = Math.exp(-0.5), drawn = float(); drawn > chance; drawn *= float())
        post(atMs + exponential(8 * MIN));
    };
    for (
      let atMs = exponential((2 * DAY) / rate) - 30 * DAY;
      atMs < days * DAY;
      atMs += exponential((2 * DAY) / rate)
    )
      post(atMs);
    return times.sort((a, b) => a - b);
  };
  const accounts = rates.map((rate, index) => {
    const coming = [...postsOf(rate)];
    const known = coming.splice(0, coming.filter((atMs) => atMs <= 0).length);
    return { id: String(index), coming, rate: firstRate(known.slice(-20), 0), askedAtMs: 0 };
  });
  const everyMs = roundEveryMs(freshness, rates.length);
  const maxMs = longestWaitMs(freshness);
  const busyFrom = busyRate(rates, freshness);
  const delays: number[] = [];
  let [correction, probes, longestMs] = [1, 0, 0];
  for (let nowMs = everyMs; nowMs < days * DAY; nowMs += everyMs) {
    const all = accounts.map((one) => ({
      id: one.id,
      rate: rateAt(one.rate, nowMs),
      ageMs: nowMs - one.askedAtMs,
      one,
    }));
    const chosen = chooseRound(all, { busyRate: busyFrom * correction, everyMs, maxMs });
    probes += Math.ceil(chosen.length / 100);
    const found: number[] = [];
    for (const { one, ageMs } of chosen) {
      longestMs = Math.max(longestMs, ageMs);
      one.askedAtMs = nowMs;
      const posts = one.coming.splice(0, one.coming.filter((atMs) => atMs <= nowMs).length);
      if (posts.length > 0) one.rate = learnPosts(one.rate, posts, nowMs);
      found.push(...posts.map((atMs) => nowMs - atMs + 1_500));
    }
    correction = learnLate(correction, found, freshness);
    delays.push(...found);
  }
  return { delays, longestMs, probesPerDay: probes / days };
}
