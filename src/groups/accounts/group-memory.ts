/** What a group has learned as a whole: the hours of the day, how long a query may be, the pace of its probes, its strategy. */
import { askedOf, type AccountFacts } from "./group-accounts.ts";
import { FIRST_LIMITS, growLimits, handlesPerQuery, type LearnedLimits } from "../../query/merging/merge.ts";
import { type LearnedPace, probeAlgorithm } from "./pacing/group-algorithms.ts";
import { type DayProfile, FLAT_PROFILE } from "../../plan/rates/rates.ts";
import { costWhen } from "./account-cost.ts";
import { type ChosenStrategy, chosenStrategy, isTimeToChoose } from "../memory/chosen-strategy.ts";
import type { Poll } from "../../polling/watch-poll.ts";

export interface GroupMemory extends ChosenStrategy, LearnedPace {
  readonly profile: DayProfile;
  readonly limits: LearnedLimits;
  /** The last probe of all members. */
  readonly probedAtMs: number;
}

const NOTHING_LEARNED: GroupMemory = {
  profile: FLAT_PROFILE,
  limits: FIRST_LIMITS,
  strategy: "probe",
  fullPollEveryMs: 0,
  chosenAtMs: 0,
  probedAtMs: 0,
};

/** What a state holds of a group. A pace that an older release wrote down in other words is learned anew. */
export function restoreGroup({ pace, ...stored }: Partial<GroupMemory>): GroupMemory {
  const isUsable = pace !== undefined && "foretold" in pace;
  return { ...NOTHING_LEARNED, ...stored, ...(isUsable ? { pace } : {}) };
}

/** Compares the strategies for a group by what is known of its accounts now, where it is time. */
export function chooseAgain(group: Poll, memory: GroupMemory, facts: () => AccountFacts, nowMs: number): GroupMemory {
  if (!isTimeToChoose(memory, nowMs)) return memory;
  const limits = growLimits(memory.limits, nowMs);
  const { timing } = group;
  const known = facts();
  const asked = askedOf(group, group.group?.fullPollEveryMs, known, handlesPerQuery(limits));
  const { strategy } = costWhen(timing, asked, { current: chosenStrategy(memory), override: group.group?.override ?? "auto" });
  const paced = timing.kind === "freshness" ? probeAlgorithm(timing.freshness).fromRates(known.rates) : {};
  return { ...memory, limits, strategy, fullPollEveryMs: asked.fullPollEveryMs, ...paced, chosenAtMs: nowMs };
}
