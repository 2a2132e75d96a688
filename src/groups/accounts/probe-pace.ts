/**
 * What a probe must be worth before it is sent, so that posts are found as fresh as was asked for and no sooner. A burst makes probes
 * worth their request sooner, silence later; the worth itself moves slowly. It follows from two delays that both grow with its square
 * root: the one that the rates predict at every probe, and the one of posts that were found. Pure; the memory is plain data.
 */
import { BATCH_SIZE } from "../../model/batch.ts";
import type { Mean } from "../../plan/delay-aims.ts";
import { FIRST_LIMITS, handlesPerQuery } from "../../query/merging/merge.ts";
import type { Awaited } from "../probing/probe-choice.ts";
import { probeRounds, requestsOfRounds } from "./probe-rounds.ts";
import { sum } from "../../plan/sum.ts";

/** Sums over posts, older ones counting less. */
export interface Delays {
  readonly posts: number;
  readonly delayMs: number;
  /** sqrt(worth) at the time. */
  readonly rootWorth: number;
}

export interface PaceMemory {
  /** Posts x ms, for each request it is expected to take. */
  readonly worth: number;
  /** Of posts that the rates predicted behind the probes. */
  readonly foretold: Delays;
  /** Of posts that were found. */
  readonly found: Delays;
  readonly atMs: number;
}

/** The delays of so many posts are remembered, and of six hours at least: fewer would be chance, an hour of a large group its time of day. */
const MEMORY_POSTS = 400;
const MEMORY_MS = 21_600_000;
/** So much of the waiting is ended by requests that come at their worth; the rest by reads that cost nothing, or after the longest wait. */
const ENDED_BY_WORTH = 0.75;
/** How many predicted posts outweigh the first guess. */
const FIRST_GUESS_POSTS = 60;
/** The first bursts of a few accounts are chance: so many of them weigh as much as what the rates predict. */
const FORECAST_BURSTS = 60;
/** Posts come in bursts that are found alike: by their sizes, four posts say as much as one that stands by itself. */
const POSTS_A_BURST = 4;
/** Probes come at most so many times as often as the rates ask for: a search that lags is not made faster by asking more often. */
const MOST_HASTE = 3;

/** The pace to begin with, by the average rates as far as they are known (posts a day): each request ends its part of the waiting. */
export function firstPace(rates: readonly number[], freshness: Mean, nowMs: number): PaceMemory {
  const { meanMs } = freshness;
  const perDay = sum(rates, (rate) => rate);
  const requests = requestsOfRounds(probeRounds(rates, freshness, handlesPerQuery(FIRST_LIMITS)), perDay);
  const ended = rates.length <= BATCH_SIZE ? 1 : ENDED_BY_WORTH;
  const worth = (ended * perDay * meanMs) / requests;
  const posts = FIRST_GUESS_POSTS;
  const foretold = { posts, delayMs: posts * meanMs, rootWorth: posts * Math.sqrt(worth) };
  return { worth, foretold, found: { posts: 0, delayMs: 0, rootWorth: 0 }, atMs: nowMs };
}

/** What a run asked for and found. */
export interface Found {
  /** Behind all that was asked for, when it was asked. */
  readonly awaited: Awaited;
  /** From a post to its finding. */
  readonly delaysMs: readonly number[];
}

/** The pace after a run. What the rates predict is free of the chance of single posts, what was found of the errors of rates. */
export function learnDelays(memory: PaceMemory, { awaited, delaysMs }: Found, { meanMs, maxMs }: Mean, nowMs: number): PaceMemory {
  if (awaited.posts === 0 && delaysMs.length === 0) return memory;
  const passed = Math.max(0, nowMs - memory.atMs) / MEMORY_MS;
  const kept = Math.exp(-Math.min(Math.max(delaysMs.length, awaited.posts) / MEMORY_POSTS, passed));
  // What was found after an outage says nothing about the pace.
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
  return { worth: byRoot > 0 ? (meanMs / byRoot) ** 2 : memory.worth, foretold, found, atMs: nowMs };
}

/** The mean delay for each root of worth. */
function delayByRoot(foretold: Delays, found: Delays): number {
  const byRates = foretold.delayMs / foretold.rootWorth;
  if (found.posts === 0) return byRates;
  const bursts = found.posts / POSTS_A_BURST;
  const both = (FORECAST_BURSTS * byRates + bursts * (found.delayMs / found.rootWorth)) / (FORECAST_BURSTS + bursts);
  return Math.min(both, MOST_HASTE * byRates);
}
