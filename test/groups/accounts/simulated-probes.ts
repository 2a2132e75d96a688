/**
 * Simulates accounts that post at random and are probed for days at the pace of the rules.
 * Calibrations of that pace measure it.
 */
import type { Mean } from "../../../src/plan/delay-aims.ts";
import {
  awaitedOf,
  chooseProbe,
  waitBeforeProbe,
} from "../../../src/groups/probing/probe-choice.ts";
import { firstPace, learnDelays } from "../../../src/groups/accounts/pacing/group-mean.ts";
import { baseRate, firstRate, learnPosts, rateAt } from "../../../src/plan/rates/rates.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";

const DAY = 86_400_000;

/**
 * Simulates accounts that post at random at fixed rates and are probed by the rules for some days.
 * Returns the delays of posts found in the last two days.
 */
export function probeFor(
  { rates, seed }: { readonly rates: readonly number[]; readonly seed: number },
  assumed: (rate: number) => number,
  freshness: Mean,
  days: number,
): readonly number[] {
  const random = createSeededRandom(seed);
  const wait = (rate: number) => (-Math.log(1 - random.float()) * DAY) / rate;
  const accounts = rates.map((rate, index) => ({
    id: String(index),
    rate,
    lastMs: 0,
    nextMs: wait(rate),
  }));
  const { maxMs } = freshness;
  let pace = firstPace(rates.map(assumed), freshness, 0);
  const delays: number[] = [];
  for (let nowMs = 0; nowMs < days * DAY; ) {
    const chosen = chooseProbe(
      accounts.map((one) => ({
        id: one.id,
        rate: assumed(one.rate),
        ageMs: nowMs - one.lastMs,
        one,
      })),
      maxMs,
    );
    const waitMs = waitBeforeProbe(chosen, pace.worth, maxMs);
    if (waitMs > 0) {
      nowMs += Math.max(waitMs, 1_000);
      continue;
    }
    const found: number[] = [];
    const awaited = awaitedOf(chosen);
    for (const { one } of chosen) {
      for (; one.nextMs <= nowMs; one.nextMs += wait(one.rate)) found.push(nowMs - one.nextMs);
      one.lastMs = nowMs;
    }
    pace = learnDelays(pace, { awaited, delaysMs: found }, freshness, nowMs);
    if (nowMs > (days - 2) * DAY) delays.push(...found);
  }
  return delays;
}

/** Returns the times of posts in bursts, half of them within minutes of others. */
function burstsOf(
  perDay: number,
  fromMs: number,
  toMs: number,
  float: () => number,
): readonly number[] {
  const exponential = (meanMs: number) => -Math.log(1 - float()) * meanMs;
  const times: number[] = [];
  const post = (atMs: number): void => {
    if (atMs > toMs) return;
    times.push(atMs);
    for (let chance = Math.exp(-0.5), drawn = float(); drawn > chance; drawn *= float())
      post(atMs + exponential(480_000));
  };
  const gapMs = (2 * DAY) / perDay;
  for (let atMs = fromMs + exponential(gapMs); atMs < toMs; atMs += exponential(gapMs)) post(atMs);
  return times.sort((a, b) => a - b);
}

/**
 * Returns the probes and delays of a few accounts with bursts, from the first read on. Each probe
 * requests all of them.
 */
export function probeAll(perDay: readonly number[], freshness: Mean, days: number, seed: number) {
  const { float } = createSeededRandom(seed);
  const accounts = perDay.map((rate, index) => {
    const coming = [...burstsOf(rate, -30 * DAY, days * DAY, float)];
    const known = coming.splice(0, coming.filter((atMs) => atMs <= 0).length);
    return { id: String(index), coming, rate: firstRate(known.slice(-20), 0) };
  });
  const delays: number[] = [];
  let pace = firstPace(
    accounts.map(({ rate }) => baseRate(rate, 0)),
    freshness,
    0,
  );
  let [probes, nowMs] = [0, 0];
  for (; nowMs < days * DAY; probes += 1) {
    const startMs = nowMs;
    const all = accounts.map((one) => ({ id: one.id, rate: rateAt(one.rate, startMs), ageMs: 0 }));
    const waitMs = Math.max(1_000, waitBeforeProbe(all, pace.worth, freshness.maxMs));
    nowMs += waitMs;
    const found: number[] = [];
    for (const one of accounts) {
      const posts = one.coming.splice(0, one.coming.filter((atMs) => atMs <= nowMs).length);
      if (posts.length > 0) one.rate = learnPosts(one.rate, posts, nowMs);
      found.push(...posts.map((atMs) => nowMs - atMs));
    }
    delays.push(...found);
    const awaited = awaitedOf(all.map((one) => ({ ...one, ageMs: waitMs })));
    pace = learnDelays(pace, { awaited, delaysMs: found }, freshness, nowMs);
  }
  return { delays, probes };
}
