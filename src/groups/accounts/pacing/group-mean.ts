/**
 * Keeps the mean delay of a group's posts at the configured value. The worth of a probe is the
 * waiting time that it is expected to end, per request. A probe is sent once its worth reaches a
 * threshold, which happens soon in a burst of posts and late while few posts are expected. The
 * threshold is learned slowly from two delays that both grow with its square root: the delay that
 * the posting rates predict at every probe, and the measured delay of the posts found.
 * probe-choice.ts decides which accounts a probe requests. Pure; the memory is plain data.
 */
import { BATCH_SIZE } from "../../../model/batch.ts";
import type { Mean } from "../../../plan/delay-aims.ts";
import { probingForMean, searchesFor } from "../../../plan/polls/estimate.ts";
import { middleOf } from "../../../plan/range.ts";
import { expectedRate } from "../../../plan/rates/rates.ts";
import { sum } from "../../../plan/sum.ts";
import {
  type Awaited,
  awaitedOf,
  chooseProbe,
  waitBeforeProbe,
} from "../../probing/probe-choice.ts";
import type { Delays, PaceMemory, PaceQuery, ProbeAlgorithm } from "./group-pace.ts";

const DAY_MS = 86_400_000;

export const probesForMean = (freshness: Mean): ProbeAlgorithm => ({
  choose({ waiting, factor }) {
    const chosen = chooseProbe(waiting, freshness.maxMs * factor);
    return { all: chosen.map(({ member }) => member), awaited: awaitedOf(chosen) };
  },
  waitMs({ waiting, memory, factor }) {
    const maxMs = freshness.maxMs * factor;
    return waitBeforeProbe(
      chooseProbe(waiting, maxMs),
      (memory.pace?.worth ?? 0) * factor * factor,
      maxMs,
    );
  },
  after: (query) => ({ pace: paceAfter(query, freshness) }),
  runsPerDay: () => undefined,
});

/**
 * Whether a stored pace can be used. A pace that was learned while the group had no accounts
 * cannot.
 */
const isWhole = (pace: PaceMemory | undefined): pace is PaceMemory =>
  pace !== undefined && pace.worth > 0;

function paceAfter(query: PaceQuery, freshness: Mean): PaceMemory {
  const { waiting, memory, awaited, delaysMs, nowMs, isPaced } = query;
  const { pace } = memory;
  if (!isWhole(pace)) {
    const rates = waiting.map(({ account }) => expectedRate(account.rate, nowMs));
    return firstPace(rates, freshness, nowMs);
  }
  if (!isPaced) return pace;
  return learnDelays(pace, { awaited: joinAwaited(awaited), delaysMs }, freshness, nowMs);
}

const joinAwaited = (parts: readonly Awaited[]): Awaited => ({
  posts: sum(parts, ({ posts }) => posts),
  waitedMs: sum(parts, ({ waitedMs }) => waitedMs),
});

/**
 * Delays are averaged over about this many posts and at least six hours. Fewer posts would be too
 * noisy, and a single hour of a large group would only reflect the time of day.
 */
const MEMORY_POSTS = 400;
const MEMORY_MS = 21_600_000;
/**
 * The share of the waiting time of posts that is ended by a probe whose worth reached the
 * threshold. The rest is ended by requests of others that showed the account at no cost, or by the
 * longest allowed wait.
 */
const ENDED_BY_WORTH = 0.75;
/** The weight of the first guess, as a number of predicted posts. */
const FIRST_GUESS_POSTS = 60;
/**
 * The weight of the prediction against the measurements, as a number of measured bursts. The first
 * bursts of a few accounts are too noisy to be trusted alone.
 */
const FORECAST_BURSTS = 60;
/** The posts of a burst are found together, so this many posts count as one measurement. */
const POSTS_A_BURST = 4;
/**
 * The measured delays may make probes at most this many times as frequent as the rates suggest,
 * because more requests cannot make a lagging search faster.
 */
const MAX_SPEED_UP = 3;

/**
 * Returns the pace of a group that has learned nothing, computed like the forecast. `rates` are the
 * average rates of the accounts in posts per day, as far as they are known.
 */
export function firstPace(rates: readonly number[], freshness: Mean, nowMs: number): PaceMemory {
  const { meanMs } = freshness;
  const perDay = sum(rates, (rate) => rate);
  const { probes, runs } = probingForMean(rates.length, DAY_MS / (2 * meanMs));
  const requests = middleOf(probes) + searchesFor(perDay, middleOf(runs));
  const ended = rates.length <= BATCH_SIZE ? 1 : ENDED_BY_WORTH;
  const worth = (ended * perDay * meanMs) / requests;
  const posts = FIRST_GUESS_POSTS;
  const foretold = { posts, delayMs: posts * meanMs, rootWorth: posts * Math.sqrt(worth) };
  return { worth, foretold, found: { posts: 0, delayMs: 0, rootWorth: 0 }, atMs: nowMs };
}

/** What the requests of a run were expected to find, and what they found. */
export interface Found {
  /** The posts that the rates predicted for the requested accounts. */
  readonly awaited: Awaited;
  /** The time from each post until the poll that found it, in ms. */
  readonly delaysMs: readonly number[];
}

/**
 * Returns the pace after a run. It combines the predicted delays, which do not contain the noise of
 * single posts, with the measured ones, which do not contain errors in the rates.
 */
export function learnDelays(
  memory: PaceMemory,
  { awaited, delaysMs }: Found,
  { meanMs, maxMs }: Mean,
  nowMs: number,
): PaceMemory {
  if (awaited.posts === 0 && delaysMs.length === 0) return memory;
  const passed = Math.max(0, nowMs - memory.atMs) / MEMORY_MS;
  const kept = Math.exp(-Math.min(Math.max(delaysMs.length, awaited.posts) / MEMORY_POSTS, passed));
  // Limit each delay, because the delays after an outage say nothing about the pace.
  const delays = delaysMs.map((delayMs) => Math.min(Math.max(delayMs, 0), maxMs));
  const root = Math.sqrt(memory.worth);
  const add = (known: Delays, posts: number, delayMs: number): Delays => ({
    posts: known.posts * kept + posts,
    delayMs: known.delayMs * kept + delayMs,
    rootWorth: known.rootWorth * kept + posts * root,
  });
  const foretold = add(memory.foretold, awaited.posts, awaited.waitedMs);
  const found = add(
    memory.found,
    delays.length,
    sum(delays, (delay) => delay),
  );
  const byRoot = delayByRoot(foretold, found);
  return {
    worth: byRoot > 0 ? (meanMs / byRoot) ** 2 : memory.worth,
    foretold,
    found,
    atMs: nowMs,
  };
}

/** Returns the mean delay divided by the square root of the required worth. */
function delayByRoot(foretold: Delays, found: Delays): number {
  const byRates = foretold.delayMs / foretold.rootWorth;
  if (found.posts === 0) return byRates;
  const bursts = found.posts / POSTS_A_BURST;
  const both =
    (FORECAST_BURSTS * byRates + bursts * (found.delayMs / found.rootWorth)) /
    (FORECAST_BURSTS + bursts);
  return Math.min(both, MAX_SPEED_UP * byRates);
}
