/** What a group has learned as a whole: the hours of the day, how long a query may be, the pace of its probes, the way it is read. */
import { askedOf, type Habits } from "../plan/group-polls.ts";
import { FIRST_LIMITS, growLimits, handlesPerQuery, type LearnedLimits } from "../plan/merge.ts";
import { busyRate, type OnTimePace } from "../plan/probe-on-time.ts";
import type { PaceMemory } from "../plan/probe-pace.ts";
import { type DayProfile, FLAT_PROFILE } from "../plan/rates.ts";
import { chooseStrategy, type Strategy } from "../plan/strategy.ts";
import type { Poll } from "./watch-poll.ts";

export interface GroupMemory {
  readonly profile: DayProfile;
  readonly limits: LearnedLimits;
  /** Where freshness asks for a mean. */
  readonly pace?: PaceMemory;
  /** Where it asks for a p95. */
  readonly rounds?: OnTimePace;
  /** With a p95: posts a day from which on accounts count as busy, by their rates when the strategy was chosen. */
  readonly busyRate?: number;
  readonly strategy: Strategy;
  readonly fullPollEveryMs: number;
  /** When these two were chosen; our clock. */
  readonly chosenAtMs: number;
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

const CHOOSE_EVERY_MS = 600_000;

/** Compares the ways to read a group by what is known of its accounts now, every ten minutes. */
export function chooseAgain(group: Poll, memory: GroupMemory, habits: () => Habits, nowMs: number): GroupMemory {
  // After a clock that was set back, too.
  if (Math.abs(nowMs - memory.chosenAtMs) < CHOOSE_EVERY_MS) return memory;
  const current = memory.chosenAtMs === 0 ? undefined : memory.strategy;
  const limits = growLimits(memory.limits, nowMs);
  const { freshness } = group;
  const known = habits();
  const asked = askedOf(group, group.group?.fullPollEveryMs, known, handlesPerQuery(limits), freshness);
  const { strategy } = chooseStrategy(asked, current, freshness === undefined ? (group.group?.wish ?? "auto") : "probe");
  const busy = freshness?.kind === "p95" ? { busyRate: busyRate(known.rates, freshness) } : {};
  return { ...memory, limits, strategy, fullPollEveryMs: asked.fullPollEveryMs, ...busy, chosenAtMs: nowMs };
}
