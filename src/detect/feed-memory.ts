/**
 * The memory of a list that is read newest first: the ranges of ids that were read completely, and
 * the gaps between them. Pure. `polling/` makes the requests, and `detectFeed` gives the verdicts.
 */
import { compareIds, maxId, minId } from "../model/id.ts";
import type { JsonObject } from "../model/json.ts";

/**
 * Why the last poll did not shrink a gap.
 * - `quota`: the quota allows no further pages.
 * - `service`: the service failed after the first page.
 * - `depth`: the poll used its pages for newer posts.
 */
export type GapCause = "quota" | "service" | "depth";

export interface GapAge {
  readonly openedAtMs: number;
  /**
   * When a poll last read a part of the gap, in epoch ms. Before the first such poll, the time when
   * the gap opened.
   */
  readonly shrunkAtMs: number;
  /** The number of polls since `shrunkAtMs`, none of which read a part of the gap. */
  readonly polls: number;
  readonly cause: GapCause;
  /** True from the time when the gap has not shrunk for long, until it closes. */
  readonly isStuck: boolean;
}

/**
 * A gap that a poll left because it was cut off before it reached known items, and how to continue.
 */
export interface Gap {
  /**
   * The service's cursor with which the next page of the gap is requested. If it is undefined, the
   * list is read from the top again.
   */
  readonly cursor?: string;
  /** The query to which the cursor belongs, if it had a time bound. */
  readonly query?: string;
  /**
   * Items of the gap that are newer than this (service time) raise alerts even if they are older
   * than `max_age`, because no poll could find them earlier. It is the start of the last complete
   * poll before the gap.
   */
  readonly horizonMs: number;
  /**
   * Items older than this (service time) need not be read. Set if the gap was left by a first run
   * that has not read all its pages yet.
   */
  readonly floorMs?: number | undefined;
  /** The number of attempts to fill the gap that found nothing. */
  readonly tries: number;
  /** Absent until the poll that left the gap has ended, and in gaps that an older version left. */
  readonly age?: GapAge;
}

/**
 * A range of ids from `low` to `high`, both included, that was read completely. `hole` is the gap
 * between it and the next lower range.
 */
export interface CoveredRange {
  readonly high: string;
  readonly low: string;
  readonly hole?: Gap;
}

export interface FeedMemory {
  /** The ranges, newest first and disjoint. Empty if the feed was never polled. */
  readonly stretches: readonly CoveredRange[];
  /**
   * The start, in service time, of the last poll that read the newest page and left no gap above
   * the ranges known before.
   */
  readonly readAtMs: number | null;
  /** The time of the newest item ever seen, as the item itself gives it, in epoch ms. */
  readonly newestItemMs: number | null;
  /** The start of the last late-arrival rescan, in service time. */
  readonly sweptAtMs: number | null;
}

export const EMPTY_FEED: FeedMemory = {
  stretches: [],
  readAtMs: null,
  newestItemMs: null,
  sweptAtMs: null,
};

/**
 * Reads a feed's memory from the state. Fields that are not stored have the values of a feed that
 * was never polled.
 */
export const readFeedMemory = (stored: JsonObject): FeedMemory => ({
  ...EMPTY_FEED,
  ...(stored as Partial<FeedMemory>),
});

/** The lowest id: a range down to it reaches the end of the list. */
export const BOTTOM = "0";

export const isRead = (stretches: readonly CoveredRange[], id: string): boolean =>
  stretches.some(({ high, low }) => compareIds(low, id) <= 0 && compareIds(id, high) <= 0);

const touches = (a: CoveredRange, b: CoveredRange): boolean =>
  compareIds(a.low, b.high) <= 0 && compareIds(b.low, a.high) <= 0;

/**
 * Adds a range that was read. Ranges that it touches are merged with it, and gaps inside it vanish.
 */
export function addRange(
  stretches: readonly CoveredRange[],
  added: CoveredRange,
): readonly CoveredRange[] {
  let merged = added;
  const apart: CoveredRange[] = [];
  for (const range of stretches) {
    if (!touches(range, merged)) {
      apart.push(range);
      continue;
    }
    // The merged range keeps the gap below the lower of the two ranges. If both end at the same
    // item, it keeps the gap that is known.
    const order = compareIds(range.low, merged.low);
    const gap = order < 0 ? range.hole : order > 0 ? merged.hole : (merged.hole ?? range.hole);
    merged = withGap(
      { high: maxId(range.high, merged.high), low: minId(range.low, merged.low) },
      gap,
    );
  }
  return [...apart, merged].sort((a, b) => compareIds(b.high, a.high));
}

/**
 * Closes the gap below a range: merges it with the next range, or extends it to the bottom if there
 * is none.
 */
export function closeGap(
  stretches: readonly CoveredRange[],
  index: number,
): readonly CoveredRange[] {
  const upper = stretches[index];
  if (upper === undefined) return stretches;
  const lower = stretches[index + 1];
  const joined =
    lower === undefined
      ? { high: upper.high, low: BOTTOM }
      : withGap({ high: upper.high, low: lower.low }, lower.hole);
  return [...stretches.slice(0, index), joined, ...stretches.slice(index + 2)];
}

export const withGap = (
  { high, low }: Omit<CoveredRange, "hole">,
  gap: Gap | undefined,
): CoveredRange => (gap === undefined ? { high, low } : { high, low, hole: gap });

/** Returns the index of the newest range with a gap below it; -1 if there is no gap. */
export const newestGap = (memory: FeedMemory): number =>
  memory.stretches.findIndex(({ hole }) => hole !== undefined);
