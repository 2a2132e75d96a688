/** What a group has learned as a whole: the hours of the day, how long a query may be, the pace of its probes and of its full polls. */
import { FIRST_LIMITS, growLimits, handlesPerQuery, type LearnedLimits } from "../../query/merging/merge.ts";
import { type LearnedPace, probeAlgorithm } from "./pacing/group-algorithms.ts";
import { type DayProfile, FLAT_PROFILE } from "../../plan/rates/rates.ts";
import { maxAgeOf } from "../../plan/polls/effective-settings.ts";
import { FULL_POLL_SHARE, fullPollWithin } from "../../plan/strategy.ts";
import { sum } from "../../plan/sum.ts";
import { costOfProbing } from "./account-estimate.ts";
import { isTimeToChoose } from "../memory/time-to-choose.ts";
import type { Poll } from "../../polling/watch-poll.ts";

export interface GroupMemory extends LearnedPace {
  readonly fullPollEveryMs: number;
  /** When that was chosen; our clock. 0: never. */
  readonly chosenAtMs: number;
  readonly profile: DayProfile;
  readonly limits: LearnedLimits;
  /** The last probe of all members. */
  readonly probedAtMs: number;
}

const NOTHING_LEARNED: GroupMemory = {
  profile: FLAT_PROFILE,
  limits: FIRST_LIMITS,
  fullPollEveryMs: 0,
  chosenAtMs: 0,
  probedAtMs: 0,
};

/** What a state holds of a group. A pace that an older release wrote down in other words is learned anew. */
export function restoreGroup({ pace, ...stored }: Partial<GroupMemory>): GroupMemory {
  const isUsable = pace !== undefined && "foretold" in pace;
  return { ...NOTHING_LEARNED, ...stored, ...(isUsable ? { pace } : {}) };
}

/** Computes the pace again by the rates of now, posts a day, where it is time. */
export function chooseAgain(group: Poll, memory: GroupMemory, ratesNow: () => readonly number[], nowMs: number): GroupMemory {
  if (!isTimeToChoose(memory, nowMs)) return memory;
  const limits = growLimits(memory.limits, nowMs);
  const { timing } = group;
  const rates = ratesNow();
  const fullPollEveryMs = group.group?.fullPollEveryMs ?? chooseFullPollEvery(group, rates, handlesPerQuery(limits));
  const paced = timing.kind === "freshness" ? probeAlgorithm(timing.freshness).fromRates(rates) : {};
  return { ...memory, limits, fullPollEveryMs, ...paced, chosenAtMs: nowMs };
}

const DAY_MS = 86_400_000;

/** How often everything is read whatever the probes say. */
function chooseFullPollEvery(group: Poll, rates: readonly number[], perQuery: number): number {
  const cost = costOfProbing(
    group,
    rates.length,
    sum(rates, (rate) => rate),
  );
  const roundsPerDay = Math.floor((cost.requestsPerDay * FULL_POLL_SHARE) / Math.ceil(Math.max(rates.length, 1) / perQuery));
  const maxAgeMs = maxAgeOf(group);
  return fullPollWithin(roundsPerDay < 1 ? maxAgeMs : DAY_MS / roundsPerDay, group.intervalMs, maxAgeMs);
}
