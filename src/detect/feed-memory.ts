/**
 * What is known of a newest-first list: ranges of ids that were read without a gap, and the gaps
 * between them. Pure. Leaves requests to the engine and verdicts to `detectFeed`.
 */
import { compareIds, maxId, minId } from "../model/id.ts";
import type { JsonObject } from "../model/json.ts";

/**
 * Why the last poll left a gap as it was. `quota`: the quota leaves no further pages; `service`:
 * the service failed beyond the first page; `depth`: the pages of the poll went to newer posts.
 */
export type GapCause = "quota" | "service" | "depth";

export interface GapAge {
  readonly openedAtMs: number;
  /** When a poll last read a part of it; until then, when it opened. */
  readonly shrunkAtMs: number;
  /** Polls since then. */
  readonly polls: number;
  readonly cause: GapCause;
  /** Once it did not shrink for long; until it closes. */
  readonly isStuck: boolean;
}

/** Where a gap continues, when a poll was cut before it reached known ground. */
export interface Gap {
  /** The service's cursor below the range; undefined: walk again. */
  readonly cursor?: string;
  /** Parameters the cursor belongs to, where a bounded query was asked. */
  readonly query?: string;
  /** Items newer than this are news even beyond `max_age`: the last complete poll, service time. */
  readonly horizonMs: number;
  /** Older items need not be reached; set while a first run is still paging. */
  readonly floorMs?: number;
  /** Attempts that found nothing. */
  readonly tries: number;
  /** Absent until the poll that left it is over, and in gaps that an elder version left. */
  readonly age?: GapAge;
}

/**
 * Ids from `low` to `high`, both included, were read. `hole`: the gap below, down to the next
 * range, was not.
 */
export interface CoveredRange {
  readonly high: string;
  readonly low: string;
  readonly hole?: Gap;
}

export interface FeedMemory {
  /** Newest first, disjoint. Empty: never polled. */
  readonly stretches: readonly CoveredRange[];
  /**
   * Start of the last poll that read the newest page without a gap above known ground; service
   * time.
   */
  readonly readAtMs: number | null;
  /** Time of the newest item ever seen, by its own clock. */
  readonly newestItemMs: number | null;
  /** Start of the last late-arrival rescan; service time. */
  readonly sweptAtMs: number | null;
}

export const EMPTY_FEED: FeedMemory = {
  stretches: [],
  readAtMs: null,
  newestItemMs: null,
  sweptAtMs: null,
};

/**
 * A feed's memory as the state holds it; what is not written down there is as of a feed that was
 * never polled.
 */
export const readFeedMemory = (stored: JsonObject): FeedMemory => ({
  ...EMPTY_FEED,
  ...(stored as Partial<FeedMemory>),
});

/** The end of every list: nothing is below. */
export const BOTTOM = "0";

export const isRead = (stretches: readonly CoveredRange[], id: string): boolean =>
  stretches.some(({ high, low }) => compareIds(low, id) <= 0 && compareIds(id, high) <= 0);

const touches = (a: CoveredRange, b: CoveredRange): boolean =>
  compareIds(a.low, b.high) <= 0 && compareIds(b.low, a.high) <= 0;

/** Adds a range that was read; ranges it touches become one, and gaps inside it vanish. */
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
    // The gap that counts is the one below the lower of the two; below the very same item, the one
    // that is still known.
    const order = compareIds(range.low, merged.low);
    const gap = order < 0 ? range.hole : order > 0 ? merged.hole : (merged.hole ?? range.hole);
    merged = withGap(
      { high: maxId(range.high, merged.high), low: minId(range.low, merged.low) },
      gap,
    );
  }
  return [...apart, merged].sort((a, b) => compareIds(b.high, a.high));
}

/** Closes the gap below a range: it and the next one become one, or it reaches the bottom. */
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

/** Index of the newest range with a gap below it; -1 when history is whole. */
export const newestGap = (memory: FeedMemory): number =>
  memory.stretches.findIndex(({ hole }) => hole !== undefined);
