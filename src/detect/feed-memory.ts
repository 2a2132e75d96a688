/**
 * What is known of a newest-first list: stretches of ids that were read without a hole, and the holes between them.
 * Pure. Leaves requests to the engine and verdicts to `detectFeed`.
 */
import { compareIds, maxId, minId } from "../model/id.ts";
import type { JsonObject } from "../model/json.ts";

/** Where a hole continues, when a poll was cut before it reached known ground. */
export interface Gap {
  /** The service's cursor below the stretch; undefined: walk again. */
  readonly cursor?: string;
  /** Parameters the cursor belongs to, where a bounded query was asked. */
  readonly query?: string;
  /** Items newer than this are news even beyond `max_age`: the last complete poll, service time. */
  readonly horizonMs: number;
  /** Older items need not be reached; set while a first run is still paging. */
  readonly floorMs?: number;
  /** Attempts that found nothing. */
  readonly tries: number;
}

/** Ids from `low` to `high`, both included, were read. `hole`: what lies below, down to the next stretch, was not. */
export interface CoveredRange {
  readonly high: string;
  readonly low: string;
  readonly hole?: Gap;
}

export interface FeedMemory {
  /** Newest first, disjoint. Empty: never polled. */
  readonly stretches: readonly CoveredRange[];
  /** Start of the last poll that read the newest page without a hole above known ground; service time. */
  readonly readAtMs: number | null;
  /** Time of the newest item ever seen, by its own clock. */
  readonly newestItemMs: number | null;
  /** Start of the last sweep; service time. */
  readonly sweptAtMs: number | null;
}

export const EMPTY_FEED: FeedMemory = { stretches: [], readAtMs: null, newestItemMs: null, sweptAtMs: null };

/** A feed's memory as the state holds it; what is not written down there is as of a feed that was never polled. */
export const readFeedMemory = (stored: JsonObject): FeedMemory => ({ ...EMPTY_FEED, ...(stored as Partial<FeedMemory>) });

/** The end of every list: nothing is below. */
export const BOTTOM = "0";

export const isRead = (stretches: readonly CoveredRange[], id: string): boolean =>
  stretches.some(({ high, low }) => compareIds(low, id) <= 0 && compareIds(id, high) <= 0);

const touches = (a: CoveredRange, b: CoveredRange): boolean => compareIds(a.low, b.high) <= 0 && compareIds(b.low, a.high) <= 0;

/** Adds a stretch that was read; stretches it touches become one, and holes inside it vanish. */
export function addRange(stretches: readonly CoveredRange[], added: CoveredRange): readonly CoveredRange[] {
  let merged = added;
  const apart: CoveredRange[] = [];
  for (const stretch of stretches) {
    if (!touches(stretch, merged)) {
      apart.push(stretch);
      continue;
    }
    // The hole that counts is the one below the lower of the two; below the very same item, the one that is still known.
    const order = compareIds(stretch.low, merged.low);
    const hole = order < 0 ? stretch.hole : order > 0 ? merged.hole : (merged.hole ?? stretch.hole);
    merged = withHole({ high: maxId(stretch.high, merged.high), low: minId(stretch.low, merged.low) }, hole);
  }
  return [...apart, merged].sort((a, b) => compareIds(b.high, a.high));
}

/** Closes the hole below a stretch: it and the next one become one, or it reaches the bottom. */
export function closeGap(stretches: readonly CoveredRange[], index: number): readonly CoveredRange[] {
  const upper = stretches[index];
  if (upper === undefined) return stretches;
  const lower = stretches[index + 1];
  const joined = lower === undefined ? { high: upper.high, low: BOTTOM } : withHole({ high: upper.high, low: lower.low }, lower.hole);
  return [...stretches.slice(0, index), joined, ...stretches.slice(index + 2)];
}

export const withHole = (stretch: Omit<CoveredRange, "hole">, hole: Gap | undefined): CoveredRange =>
  hole === undefined ? { high: stretch.high, low: stretch.low } : { high: stretch.high, low: stretch.low, hole };

/** Index of the newest stretch with a hole below it; -1 when history is whole. */
export const newestGap = (memory: FeedMemory): number => memory.stretches.findIndex((stretch) => stretch.hole !== undefined);

export const countGaps = ({ stretches }: FeedMemory): number => stretches.filter(({ hole }) => hole !== undefined).length;
