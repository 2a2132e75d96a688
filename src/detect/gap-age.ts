/**
 * How long each gap of a feed has been open, and how many polls left it as it was. Pure; times are
 * our own clock's.
 */
import {
  BOTTOM,
  type CoveredRange,
  type FeedMemory,
  type GapAge,
  type GapCause,
  withGap,
} from "./feed-memory.ts";

/** A gap that did not shrink for so many polls, and for so long, gets nowhere. */
export const STUCK = { polls: 10, ms: 10 * 60_000 } as const;

export interface GapPoll {
  readonly nowMs: number;
  /** Why it left gaps as they were. */
  readonly cause: GapCause;
}

/**
 * Ages the gaps that a poll left. A gap keeps its lower end: what is read of it is read from the
 * top.
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
 * Returns the age of every gap. One that an older version left counts as old as what is known above
 * it.
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

/** The one that is stuck for longest; undefined where none is. */
export const stuckGap = (ages: readonly GapAge[]): GapAge | undefined =>
  ages.filter(({ isStuck }) => isStuck).sort((a, b) => a.openedAtMs - b.openedAtMs)[0];
