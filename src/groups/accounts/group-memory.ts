/**
 * What a group of accounts has learned as a whole: at which hours its accounts post, how long a
 * search query may be, and how often the accounts are probed.
 */
import { FIRST_LIMITS, type LearnedLimits } from "../../query/merging/merge.ts";
import type { LearnedPace } from "./pacing/group-pace.ts";
import { type DayProfile, FLAT_PROFILE } from "../../plan/rates/rates.ts";

export interface GroupMemory extends LearnedPace {
  readonly profile: DayProfile;
  readonly limits: LearnedLimits;
  /** When all members were last probed, in epoch ms. */
  readonly probedAtMs: number;
}

const NOTHING_LEARNED: GroupMemory = { profile: FLAT_PROFILE, limits: FIRST_LIMITS, probedAtMs: 0 };

/**
 * Restores what a group has learned from the state. A pace that an older release stored in another
 * form is dropped and learned again.
 */
export function restoreGroup({ pace, ...stored }: Partial<GroupMemory>): GroupMemory {
  const isUsable = pace !== undefined && "foretold" in pace;
  return { ...NOTHING_LEARNED, ...stored, ...(isUsable ? { pace } : {}) };
}
