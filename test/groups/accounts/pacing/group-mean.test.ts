import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Mean } from "../../../../src/plan/delay-aims.ts";
import { type Awaited, awaitedOf, chooseProbe, waitBeforeProbe } from "../../../../src/groups/probing/probe-choice.ts";
import { firstPace, learnDelays, type PaceMemory, probesOfAll } from "../../../../src/groups/accounts/pacing/group-mean.ts";
import { baseRate, firstRate, learnPosts, rateAt } from "../../../../src/plan/rates/rates.ts";
import { createSeededRandom } from "../../../support/seeded-random.ts";

const DAY = 86_400_000;
const HOUR = 3_600_000;

/** Accounts that post by chance at fixed rates, probed by the rules for some days; delays of what was found in the last two. */
function probeFor(rates: readonly number[], assumed: (rate: number) => number, freshness: Mean, days: number): readonly number[] {
  const random = createSeededRandom(3);
  const wait = (rate: number) => (-Math.log(1 - random.float()) * DAY) / rate;
  const accounts = rates.map((rate, index) => ({ id: String(index), rate, lastMs: 0, nextMs: wait(rate) }));
  const { maxMs } = freshness;
  let pace = firstPace(rates.map(assumed), freshness, 0);
  const delays: number[] = [];
  for (let nowMs = 0; nowMs < days * DAY; ) {
    const chosen = chooseProbe(
      accounts.map((one) => ({ id: one.id, rate: assumed(one.rate), ageMs: nowMs - one.lastMs, one })),
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

/** Moments of posts in bursts, half of them drawn after others within minutes. */
function burstsOf(perDay: number, fromMs: number, toMs: number, float: () => number): readonly number[] {
  const exponential = (meanMs: number) => -Math.log(1 - float()) * meanMs;
  const times: number[] = [];
  const post = (atMs: number): void => {
    if (atMs > toMs) return;
    times.push(atMs);
    for (let chance = Math.exp(-0.5), drawn = float(); drawn > chance; drawn *= float()) post(atMs + exponential(480_000));
  };
  const gapMs = (2 * DAY) / perDay;
  for (let atMs = fromMs + exponential(gapMs); atMs < toMs; atMs += exponential(gapMs)) post(atMs);
  return times.sort((a, b) => a - b);
}

/** Probes and delays of a few accounts in bursts, each of whom every probe asks for, from the first read on. */
function probeAll(perDay: readonly number[], freshness: Mean, days: number, seed: number) {
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

/** So many posts predicted, and as late as the pace expects. */
const asPredicted = ({ foretold, worth }: PaceMemory, posts: number): Awaited => ({
  posts,
  waitedMs: (posts * foretold.delayMs * Math.sqrt(worth)) / foretold.rootWorth,
});

const RATES = Array.from({ length: 300 }, (_, i) => 0.05 * 1.025 ** i);
const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe("the pace", () => {
  it("reaches the mean asked for, also where the rates it was given are three times too high", () => {
    const freshness: Mean = { kind: "mean", meanMs: 60_000, maxMs: 6 * HOUR };
    for (const factor of [1, 3]) {
      const delays = probeFor(RATES, (rate) => rate * factor, freshness, 8);
      expect(meanOf(delays) / 60_000, `factor ${factor}`).toBeGreaterThan(0.85);
      expect(meanOf(delays) / 60_000, `factor ${factor}`).toBeLessThan(1.15);
    }
  });

  it("keeps a mean of a few accounts in bursts from the first days on, with fewer probes than even ones of that mean", () => {
    const freshness: Mean = { kind: "mean", meanMs: 60_000, maxMs: 6 * HOUR };
    const runs = Array.from({ length: 12 }, (_, seed) => probeAll([0.1, 0.3, 0.3, 0.6, 1, 1, 2, 5], freshness, 5, seed + 40));
    const meanMs = meanOf(runs.flatMap(({ delays }) => delays));
    expect(meanMs / 60_000).toBeGreaterThan(0.88);
    expect(meanMs / 60_000).toBeLessThan(1.12);
    const perDay = meanOf(runs.map(({ probes }) => probes)) / 5;
    expect(perDay).toBeLessThan((0.9 * DAY) / (2 * meanMs));
    // As the plan forecasts by what they post.
    const postsPerDay = meanOf(runs.map(({ delays }) => delays.length)) / 5;
    expect((perDay * meanMs) / (probesOfAll(postsPerDay, freshness) * 60_000)).toBeGreaterThan(0.9);
    expect((perDay * meanMs) / (probesOfAll(postsPerDay, freshness) * 60_000)).toBeLessThan(1.1);
  });

  it("begins with two means between probes of accounts that post without end", () => {
    const freshness: Mean = { kind: "mean", meanMs: 60_000, maxMs: 6 * HOUR };
    const pace = firstPace([40_000, 20_000], freshness, 0);
    const all = [40_000, 20_000].map((rate, index) => ({ id: String(index), rate, ageMs: 0 }));
    expect(waitBeforeProbe(all, pace.worth, 6 * HOUR) / 120_000).toBeCloseTo(1, 1);
  });

  it("asks no more than three times as often when posts are late whatever it does", () => {
    const freshness: Mean = { kind: "mean", meanMs: 60_000, maxMs: 6 * HOUR };
    const first = firstPace([1, 2, 3], freshness, 0);
    let pace = first;
    for (let hour = 1; hour < 2_000; hour += 1)
      pace = learnDelays(pace, { awaited: asPredicted(pace, 2), delaysMs: [900_000, 900_000] }, freshness, hour * HOUR);
    expect(Math.sqrt(first.worth / pace.worth)).toBeCloseTo(3);
  });

  it("takes the first burst for chance: forty posts found at once make probes hardly rarer", () => {
    const freshness: Mean = { kind: "mean", meanMs: 60_000, maxMs: 6 * HOUR };
    const first = firstPace([1, 2, 3], freshness, 0);
    const found = { awaited: asPredicted(first, 40), delaysMs: Array.from({ length: 40 }, () => 5_000) };
    expect(Math.sqrt(learnDelays(first, found, freshness, HOUR).worth / first.worth)).toBeLessThan(1.2);
  });

  it("stays a positive number whatever delays it is given", () => {
    const freshness: Mean = { kind: "mean", meanMs: 60_000, maxMs: HOUR };
    fc.assert(
      fc.property(fc.array(fc.array(fc.integer({ min: -HOUR, max: 30 * DAY }), { maxLength: 20 }), { maxLength: 50 }), (rounds) => {
        let pace = firstPace([1, 2, 3], freshness, 0);
        for (const [round, delays] of rounds.entries())
          pace = learnDelays(
            pace,
            { awaited: { posts: round % 3, waitedMs: (round % 3) * 9_000 }, delaysMs: delays },
            freshness,
            round * HOUR,
          );
        expect(pace.worth).toBeGreaterThan(0);
        expect(Number.isFinite(pace.worth)).toBe(true);
      }),
    );
  });
});
