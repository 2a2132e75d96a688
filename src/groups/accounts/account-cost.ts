/** What the probes of a group of accounts cost, with the reads of what moved; how often full polls come follows from it. Pure arithmetic over learned rates. */
import { BATCH_SIZE } from "../../model/batch.ts";
import type { Freshness } from "../../model/schedule.ts";
import type { PollTiming } from "../../plan/poll.ts";
import { shareApart } from "../../plan/rates/rates.ts";
import { FULL_POLL_SHARE, fullPollWithin, type StrategyCost, strategyCost } from "../../plan/strategy.ts";
import { sum } from "../../plan/sum.ts";
import { requestsOfRounds } from "../probing/probe-choice.ts";
import { probeAlgorithm } from "./pacing/group-algorithms.ts";

const DAY_MS = 86_400_000;

export interface Group {
  /** Posts a day, one rate an account. */
  readonly rates: readonly number[];
  readonly intervalMs: number;
  /** Accounts that one merged search holds. */
  readonly handlesPerQuery: number;
}

/** Without full polls. */
export const costOfProbing = (group: Group, timing: PollTiming): StrategyCost =>
  timing.kind === "schedule" ? costOfTicks(group) : costOfRounds(group, timing.freshness);

function costOfTicks({ rates, intervalMs, handlesPerQuery }: Group): StrategyCost {
  const ticks = DAY_MS / intervalMs;
  const apart = shareApart(intervalMs) / ticks;
  const moved = sum(rates, (rate) => 1 - Math.exp(-rate * apart));
  return strategyCost("probe", Math.ceil(rates.length / BATCH_SIZE) * ticks, searchesFor(moved, handlesPerQuery) * ticks, 0);
}

function costOfRounds({ rates, handlesPerQuery }: Group, freshness: Freshness): StrategyCost {
  const algorithm = probeAlgorithm(freshness);
  const { times, probesEach } = algorithm.rounds(rates, handlesPerQuery);
  // Over even rounds bursts are spread as over the ticks of a schedule.
  const apart = algorithm.isEven(rates.length) ? shareApart(DAY_MS / times) : undefined;
  const probes = times * probesEach;
  const posts = sum(rates, (rate) => rate);
  return strategyCost("probe", probes, requestsOfRounds({ times, probesEach }, posts, apart) - probes, 0);
}

/** Expected searches for a number of accounts that varies by chance: most ticks none or one, some two. */
const searchesFor = (expected: number, perQuery: number): number =>
  expected <= 0 ? 0 : Math.max(1 - Math.exp(-expected), expected / perQuery + Math.min(expected, 1) * 0.5);

/** How often everything is read whatever the probes say. */
export function chooseFullPollEvery(group: Group, maxAgeMs: number, timing: PollTiming): number {
  const queries = Math.ceil(group.rates.length / group.handlesPerQuery);
  const roundsPerDay = ((costOfProbing(group, timing).requestsPerDay * FULL_POLL_SHARE) / Math.max(queries, 1)) | 0;
  return fullPollWithin(roundsPerDay < 1 ? maxAgeMs : DAY_MS / roundsPerDay, group.intervalMs, maxAgeMs);
}
