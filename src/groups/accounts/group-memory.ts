/**
 * What a group has learned as a whole: the hours of the day, how long a query may be, and the pace
 * of its probes.
 */
import { FIRST_LIMITS, type LearnedLimits } from "../../query/merging/merge.ts";
import type { LearnedPace } from "./pacing/group-pace.ts";
import { type DayProfile, FLAT_PROFILE } from "../../plan/rates/rates.ts";

export interface GroupMemory extends LearnedPace {
  readonly profile: DayProfile;
  readonly limits: LearnedLimits;
  /** When all members were last probed. */
  readonly probedAtMs: number;
}

const NOTHING_LEARNED: GroupMemory = { profile: FLAT_PROFILE, limits: FIRST_LIMITS, probedAtMs: 0 };

/**
 * Restores a group's memory from the state. A pace that an older release stored in another form is
 * learned again.
 */
export function restoreGroup({ pace, ...stored }: Partial<GroupMemory>): GroupMemory {
  const isUsable = pace !== undefined && "foretold" in pace;
  return { ...NOTHING_LEARNED, ...stored, ...(isUsable ? { pace } : {}) };
}
