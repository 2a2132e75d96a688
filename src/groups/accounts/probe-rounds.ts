/**
 * How often probes are sent for the delay that freshness asks for, how many at once, and what they take with the searches that follow: the
 * forecast of a plan, and the pace to begin with. Pure arithmetic over rates.
 */
import { BATCH_SIZE } from "../../model/batch.ts";
import type { Freshness } from "../../model/schedule.ts";
import type { Mean } from "../../plan/delay-aims.ts";
import { levelsOf, probesPerDay, sumLevels } from "../../plan/rates/probe-allocation.ts";
import { MOST_TOGETHER, type ProbeRounds, requestsOf } from "../probing/probe-choice.ts";
import { roundsOnTime } from "./probe-on-time.ts";
import { meanRootRate } from "../../plan/rates/rates.ts";
import { sum } from "../../plan/sum.ts";

const DAY_MS = 86_400_000;

/** `rates` in posts a day, one an account; `perQuery`: accounts that one search holds. */
export function probeRounds(rates: readonly number[], freshness: Freshness, perQuery: number): ProbeRounds {
  if (freshness.kind === "p95") return roundsOnTime(rates, freshness);
  if (rates.length > BATCH_SIZE) return roundsOfSome(rates, freshness, perQuery);
  return { times: probesOfAll(total(rates), freshness), probesEach: 1 };
}

/** Probes a day, and searches that find what moved. `apart`: the share of posts that make a probe find something, where it is known. */
export const requestsOfRounds = ({ times, probesEach }: ProbeRounds, postsPerDay: number, apart?: number): number =>
  times * requestsOf(postsPerDay / times, probesEach, apart);

/** Probes a day where one asks for everybody: even ones, less what intervals save that follow the rate. */
export function probesOfAll(postsPerDay: number, { meanMs }: Mean): number {
  // Posts of bursts, which are what saves, are found sooner than the mean.
  const saved = postsPerDay > 0 ? meanRootRate(postsPerDay, meanMs / 2) ** 2 / postsPerDay : 1;
  return (saved * DAY_MS) / (2 * meanMs);
}

/** Of the places of a search, about so many are left by those that moved and taken by others. */
const FREE_PLACES = 0.65;
/** Rates are learned, not known, which takes so many more probes. */
const LEARNED = 1.09;
/** A round begins as soon as some of its probes are worth theirs: beyond the first it has so many of those that would cost least. */
const SENT_OF_BEST = 0.6;
/** Probes wait for whole seconds, half a one on average. */
const GRAIN_MS = 500;

/**
 * About as many probes together as cost least, which is how they are sent. Those piggybacked on the searches are read for nothing, which
 * is worth more after a single probe than after several that share one search.
 */
function roundsOfSome(rates: readonly number[], freshness: Mean, perQuery: number): ProbeRounds {
  const meanMs = Math.max(freshness.meanMs - GRAIN_MS, GRAIN_MS);
  const { maxMs } = freshness;
  const sums = sumLevels(rates.flatMap((rate) => levelsOf(rate, meanMs)));
  const posts = total(rates);
  const most = Math.min(MOST_TOGETHER, Math.ceil(rates.length / BATCH_SIZE) - 1);
  const roundsWith = (probesEach: number): ProbeRounds => {
    const batch = (probesEach * BATCH_SIZE + perQuery * FREE_PLACES) / LEARNED;
    return { times: probesPerDay({ sums, meanMs, maxMs, batch }), probesEach };
  };
  const choices = Array.from({ length: most }, (_, index) => roundsWith(index + 1));
  const { probesEach } = choices.reduce((best, choice) =>
    requestsOfRounds(choice, posts) < requestsOfRounds(best, posts) ? choice : best,
  );
  return roundsWith(1 + (probesEach - 1) * SENT_OF_BEST);
}

const total = (rates: readonly number[]): number => sum(rates, (rate) => rate);
