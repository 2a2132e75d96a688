/**
 * What each strategy costs a group of accounts that share a schedule: each account by itself, probes and reads of what moved, or searches
 * that name them all. Pure arithmetic over learned rates; promises are kept by every strategy alike.
 */
import type { Freshness } from "../../model/schedule.ts";
import { ITEMS_PER_PAGE, rescanPages } from "../../plan/polls/feed-pages.ts";
import { BATCH_SIZE } from "../../model/batch.ts";
import { allowanceOf, READS_OF_A_CHANGE } from "../probing/pending-changes.ts";
import { lackedPerDay } from "../queries/late-in-search.ts";
import { shareApart } from "../../plan/rates/rates.ts";
import { aimedMeanMs } from "../../plan/delay-aims.ts";
import { fullPollsPerDay } from "./full-polls.ts";
import { APART, requestsOfRounds } from "../probing/probe-choice.ts";
import { probeAlgorithm } from "./pacing/group-algorithms.ts";
import type { PollTiming } from "../../plan/poll.ts";
import { sum } from "../../plan/sum.ts";
import { type Strategy, type StrategyCost, strategyCost, cheaperOf, FULL_POLL_SHARE, fullPollWithin } from "../../plan/strategy.ts";

const DAY_MS = 86_400_000;
/** Merged searches learn from a probe every fifth tick which accounts they do not show. */
export const checkEveryMs = (intervalMs: number): number => Math.min(Math.max(5 * intervalMs, 300_000), 3_600_000);

export interface Group {
  /** Posts a day, one rate an account. */
  readonly rates: readonly number[];
  readonly intervalMs: number;
  readonly fullPollEveryMs: number;
  /** Once per overlap a single poll reads deeper. */
  readonly overlapMs: number;
  /** Accounts that one merged search holds. */
  readonly handlesPerQuery: number;
  /** The share of accounts that search does not show. */
  readonly hiddenShare?: number;
}

/** What each strategy would cost, in the order single, probe, merge. */
export function costsOf(group: Group): readonly StrategyCost[] {
  const { rates, intervalMs, fullPollEveryMs, overlapMs, handlesPerQuery, hiddenShare = 0 } = group;
  const ticks = DAY_MS / intervalMs;
  const posts = sum(rates, (rate) => rate);
  const rescanEveryMs = Math.ceil(overlapMs / intervalMs) * intervalMs;
  const deep = sum(rates, (rate) => rescanPages(rate, rescanEveryMs, overlapMs));
  const rescans = overlapMs > intervalMs ? (deep / rescanEveryMs) * DAY_MS : 0;
  const hidden = rates.length * hiddenShare;
  const queries = Math.ceil((rates.length - hidden) / handlesPerQuery);
  const apart = shareApart(intervalMs) / ticks;
  const changed = sum(rates, (rate) => 1 - Math.exp(-rate * apart));
  const found = changed * (1 - hiddenShare);
  const searches = queriesFor(found, handlesPerQuery);
  const reads = searches + changed * hiddenShare;
  const shownPosts = posts * (1 - hiddenShare);
  const news = { perDay: searches * ticks, accountsPerDay: found * ticks };
  const fullPolls = fullPollsPerDay(rates, group, news) * (1 - hiddenShare) + (DAY_MS / fullPollEveryMs) * hidden;
  const probes = Math.ceil(rates.length / BATCH_SIZE);
  return [
    strategyCost("single", 0, rates.length * ticks, rescans),
    strategyCost(
      "probe",
      probes * ticks,
      reads * ticks + lackedPerDay(shownPosts, intervalMs / 2),
      fullPolls + repeatsPerDay(group, ticks, found),
    ),
    strategyCost(
      "merge",
      probes * (DAY_MS / Math.max(checkEveryMs(intervalMs), intervalMs)),
      (queries + hidden) * ticks + shownPosts / ITEMS_PER_PAGE,
      0,
    ),
  ];
}

/** What probes placed by freshness cost: of which full polls may take a small share. */
export function costOfFreshness(group: Group, freshness: Freshness): StrategyCost {
  const { rates } = group;
  const posts = sum(rates, (rate) => rate);
  const meanMs = aimedMeanMs(freshness);
  const algorithm = probeAlgorithm(freshness);
  const rounds = algorithm.rounds(rates, group.handlesPerQuery);
  // Over even rounds bursts are spread as over the ticks of a schedule.
  const apart = algorithm.isEven(rates.length) ? shareApart(DAY_MS / rounds.times) : undefined;
  const probes = rounds.times * rounds.probesEach;
  const reads = requestsOfRounds(rounds, posts, apart) - probes;
  const requests = probes + reads;
  const repeats = waitingRepeats(group, rounds.times, Math.min(1, reads / rounds.times), 2 * meanMs);
  const { posts: allowedPosts } = allowanceOf(algorithm.worth(posts, requests), DAY_MS / rounds.times);
  const lacked = allowedPosts < 1 ? lackedPerDay(posts, meanMs) : 0;
  const fullPolls = fullPollsPerDay(rates, group, { perDay: reads, accountsPerDay: posts * (apart ?? APART) });
  return strategyCost("probe", probes, reads + lacked, fullPolls + repeats);
}

/** A day for each account: changes that no post accounts for, such as a moved pin, are read for again and again. */
const OTHER_CHANGES = 0.02;

/** Repeated reads share the searches of their tick; `found`: accounts that these are sent for anyway. */
function repeatsPerDay(group: Group, ticks: number, found: number): number {
  const rereads = (group.rates.length * OTHER_CHANGES * READS_OF_A_CHANGE) / ticks;
  return (queriesFor(found + rereads, group.handlesPerQuery) - queriesFor(found, group.handlesPerQuery)) * ticks;
}

/** By freshness each read but the first waits so long for a search that is sent anyway, as `share` of the times at which is probed have one. */
function waitingRepeats(group: Group, times: number, share: number, maxWaitMs: number): number {
  const chances = 1 + (maxWaitMs * times) / DAY_MS;
  const alone = (1 - share) * (1 + (READS_OF_A_CHANGE - 1) * (1 - share) ** (chances - 1));
  return group.rates.length * OTHER_CHANGES * alone;
}

/** Expected queries for a number of accounts that varies by chance: most ticks none or one, some two. */
const queriesFor = (expected: number, perQuery: number): number =>
  expected <= 0 ? 0 : Math.max(1 - Math.exp(-expected), expected / perQuery + Math.min(expected, 1) * 0.5);

/** The cheapest one; the active one stays unless another saves enough. A user's word is followed. */
export function chooseStrategy(group: Group, current: Strategy | undefined, override: Strategy | "auto" = "auto"): StrategyCost {
  const costs = costsOf(group);
  const of = (strategy: Strategy): StrategyCost => costs.find((one) => one.strategy === strategy) ?? (costs[0] as StrategyCost);
  if (override !== "auto") return of(override);
  const cheapest = costs.reduce((best, one) => (one.requestsPerDay < best.requestsPerDay ? one : best));
  if (current === undefined) return cheapest;
  return cheaperOf(of(current), cheapest);
}

/** Under freshness accounts are probed, whatever they are like. */
export const costWhen = (
  timing: PollTiming,
  group: Group,
  { current, override }: { current?: Strategy | undefined; override: Strategy | "auto" },
): StrategyCost => (timing.kind === "schedule" ? chooseStrategy(group, current, override) : costOfFreshness(group, timing.freshness));

/** How often everything is read whatever the probes say. */
export function chooseFullPollEvery(group: Omit<Group, "fullPollEveryMs">, maxAgeMs: number, timing: PollTiming): number {
  const probing = costWhen(timing, { ...group, fullPollEveryMs: Number.POSITIVE_INFINITY }, { override: "probe" });
  const queries = Math.ceil(group.rates.length / group.handlesPerQuery);
  const roundsPerDay = ((probing.requestsPerDay * FULL_POLL_SHARE) / Math.max(queries, 1)) | 0;
  return fullPollWithin(roundsPerDay < 1 ? maxAgeMs : DAY_MS / roundsPerDay, group.intervalMs, maxAgeMs);
}
