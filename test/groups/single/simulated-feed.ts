/**
 * Simulates a feed of made-up posts that is read for days at its pace. Calibrations of that pace
 * measure it.
 */
import {
  learnFeed,
  learnFeedDelays,
  type ReadAlgorithm,
  startFeed,
  waitForFeed,
} from "../../../src/groups/single/feed-pace.ts";
import { firstRate } from "../../../src/plan/rates/rates.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";

const START = Date.UTC(2026, 2, 2);
const MIN = 60_000;
const DAY = 24 * 60 * MIN;

interface Dice {
  exponential(meanMs: number): number;
  chance(share: number): boolean;
}

/** Returns the dates of posts from three days before START on, ascending. */
export type Posts = (days: number, dice: Dice) => readonly number[];

export const steady =
  (perDay: number): Posts =>
  (days, { exponential }) => {
    const dates: number[] = [];
    for (let atMs = START - 3 * DAY; atMs < START + days * DAY; atMs += exponential(DAY / perDay))
      dates.push(atMs);
    return dates;
  };

export const bursts =
  (perDay: number, size: number): Posts =>
  (days, dice) =>
    steady(perDay)(days, dice)
      .flatMap((startMs) => {
        let atMs = startMs;
        return Array.from({ length: size }, () => (atMs += dice.exponential(1.5 * MIN)));
      })
      .sort((a, b) => a - b);

/** Makes posts nine times as frequent at noon as at midnight. */
export const daily =
  (perDay: number): Posts =>
  (days, dice) =>
    steady(1.8 * perDay)(days, dice).filter((atMs) =>
      dice.chance((1 - 0.8 * Math.cos((2 * Math.PI * (atMs % DAY)) / DAY)) / 1.8),
    );

export interface FeedReading {
  readonly perDay: number;
  readonly delaysMs: readonly number[];
  readonly gapsMs: readonly number[];
}

/** Reads a feed for some days at its pace, and measures after the first quarter. */
export function readFeed(
  posts: Posts,
  algorithm: ReadAlgorithm,
  days: number,
  seed: number,
): FeedReading {
  const random = createSeededRandom(seed);
  const dates = posts(days, {
    exponential: (meanMs) => -Math.log(1 - random.float()) * meanMs,
    chance: (share) => random.float() < share,
  });
  let next = dates.findIndex((atMs) => atMs > START);
  let feed = startFeed(
    firstRate(dates.slice(Math.max(0, next - 20), next), START),
    algorithm,
    START,
  );
  const fromMs = START + (days * DAY) / 4;
  const [delaysMs, gapsMs]: [number[], number[]] = [[], []];
  for (let nowMs = START; nowMs < START + days * DAY; ) {
    const waitMs = waitForFeed(feed, algorithm, 1, nowMs);
    nowMs += waitMs;
    const found: number[] = [];
    for (let atMs = dates[next]; atMs !== undefined && atMs <= nowMs; atMs = dates[++next])
      found.push(atMs);
    const late = found.map((atMs) => nowMs - atMs);
    feed = learnFeedDelays(learnFeed(feed, found, nowMs), late, algorithm, nowMs);
    if (nowMs < fromMs) continue;
    delaysMs.push(...late);
    gapsMs.push(waitMs);
  }
  return { perDay: (gapsMs.length / days) * (4 / 3), delaysMs, gapsMs };
}

export const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
/** Returns the requests as a share of those of an even schedule with the same mean delay. */
export const cost = ({ perDay, delaysMs }: FeedReading) => (perDay * 2 * mean(delaysMs)) / DAY;
export const lateShare = ({ delaysMs }: FeedReading, limitMs: number) =>
  delaysMs.filter((ms) => ms > limitMs).length / delaysMs.length;
