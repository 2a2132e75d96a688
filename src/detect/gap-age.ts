/**
 * Records how long each gap of a feed has been open, and how many polls did not shrink it. Pure.
 * Times are epoch ms of the local clock.
 */
import {
  BOTTOM,
  type CoveredRange,
  type FeedMemory,
  type GapAge,
  type GapCause,
  withGap,
} from "./feed-memory.ts";

/** A gap is stuck if it did not shrink for this many polls and for this many milliseconds. */
export const STUCK = { polls: 10, ms: 10 * 60_000 } as const;

export interface GapPoll {
  readonly nowMs: number;
  /** Why the poll did not shrink gaps. */
  readonly cause: GapCause;
}

/**
 * Updates the ages of the gaps that a poll left. Gaps are recognised by their lower end, which
 * stays the same because a gap is read from the top.
 */
export function ageGaps(before: FeedMemory, after: FeedMemory, poll: GapPoll): FeedMemory {
  const known = new Map(
    before.stretches.flatMap((range, at) =>
      range.hole === undefined ? [] : [[lowerEnd(before, at), range]],
    ),
  );
  const stretches = after.stretches.map((range, at) =>
    range.hole === undefined
      ? range
      : withGap(range, { ...range.hole, age: ageOf(range, known.get(lowerEnd(after, at)), poll) }),
  );
  return { ...after, stretches };
}

const lowerEnd = ({ stretches }: FeedMemory, at: number): string =>
  stretches[at + 1]?.high ?? BOTTOM;

function ageOf(
  range: CoveredRange,
  before: CoveredRange | undefined,
  { nowMs, cause }: GapPoll,
): GapAge {
  const known = before?.hole?.age;
  if (known === undefined)
    return { openedAtMs: nowMs, shrunkAtMs: nowMs, polls: 0, cause, isStuck: false };
  if (before?.low !== range.low) return { ...known, shrunkAtMs: nowMs, polls: 0, cause };
  const polls = known.polls + 1;
  const isStuck = known.isStuck || (polls >= STUCK.polls && nowMs - known.shrunkAtMs >= STUCK.ms);
  return { ...known, polls, cause, isStuck };
}

/**
 * Returns the age of every gap. A gap that an older version left has no stored age; it counts as
 * open since its `horizonMs`.
 */
export const gapAges = ({ stretches }: FeedMemory): readonly GapAge[] =>
  stretches.flatMap(({ hole }) => {
    if (hole === undefined) return [];
    const { age, horizonMs } = hole;
    return [
      age ?? {
        openedAtMs: horizonMs,
        shrunkAtMs: horizonMs,
        polls: 0,
        cause: "depth",
        isStuck: false,
      },
    ];
  });

/** Returns the gap that has been open longest among those that are stuck; undefined if none is. */
export const stuckGap = (ages: readonly GapAge[]): GapAge | undefined =>
  ages.filter(({ isStuck }) => isStuck).sort((a, b) => a.openedAtMs - b.openedAtMs)[0];
