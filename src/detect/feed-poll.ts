/**
 * Plans one poll of a feed. The poll first reads the head, which is the list from its top down to
 * known items, and then the gaps further down. Returns the memory after each read. Pure. All times
 * are in the service's clock.
 */
import {
  addRange,
  BOTTOM,
  closeGap,
  type FeedMemory,
  type Gap,
  newestGap,
  type CoveredRange,
  withGap,
} from "./feed-memory.ts";
import type { FeedWalk, WalkOptions } from "./feed-walk.ts";
import { compareIds, maxId } from "../model/id.ts";

export interface HeadOptions {
  readonly startMs: number;
  readonly intervalMs: number;
  readonly overlapMs: number;
  readonly maxPages: number;
  /** The oldest time that a subscriber in its first run still needs; undefined if there is none. */
  readonly firstRunFloorMs?: number;
  readonly minItems: number;
  /** Set for lists without pinned items, such as searches. */
  readonly hasNoPins?: boolean;
  /**
   * How far back the poll reads, if something other than its schedule decides that, for example a
   * probe.
   */
  readonly reach?: Reach | undefined;
}

/**
 * How far back a poll must read.
 * - `since`: back to `sinceMs`, because a probe shows that nothing was posted between the last poll
 *   and that time.
 * - `rescan`: back to `sinceMs`, including what was read before.
 */
export interface Reach {
  readonly kind: "since" | "rescan";
  readonly sinceMs: number;
}

export interface HeadPlan {
  readonly walk: WalkOptions;
  /**
   * The time bound of the query: it may leave out older items. Undefined if the query has no bound.
   */
  readonly sinceMs: number | undefined;
  readonly isRescan: boolean;
}

/**
 * Returns how late an item may become visible and still be found without a late-arrival rescan:
 * twice the interval, but between 5 seconds and a minute.
 */
export const marginMs = (intervalMs: number): number =>
  Math.min(Math.max(2 * intervalMs, 5_000), 60_000);

export function planHead(memory: FeedMemory, options: HeadOptions): HeadPlan {
  const isFirst = memory.stretches.length === 0;
  // There is no rescan while a gap is open: every poll would read the known pages above the gap and
  // be cut off there. The rescan runs once the gap is closed, and reads back just as far.
  const canRescan = !isFirst && memory.sweptAtMs !== null && newestGap(memory) < 0;
  const isRescan = canRescan && isRescanDue(memory, options);
  const floors = [options.firstRunFloorMs ?? Number.POSITIVE_INFINITY];
  if (!isFirst) floors.push(nearFloorMs(memory, options));
  if (isRescan && options.reach === undefined)
    floors.push(lastRescanMs(memory, options) - options.overlapMs);
  const floorMs = Math.min(...floors, options.startMs);
  const walk = {
    stretches: memory.stretches,
    knownRanges: memory.stretches,
    floorMs,
    maxNewPages: options.maxPages,
    minItems: options.minItems,
    fills: false,
    ...(options.hasNoPins === true ? { hasNoPins: true } : {}),
  };
  // The bound must not be newer than the newest item, because the service's clock may be slow.
  const sinceMs = isFirst
    ? undefined
    : Math.min(floorMs, (memory.newestItemMs ?? floorMs) - marginMs(options.intervalMs));
  return { walk, sinceMs, isRescan };
}

/**
 * Returns the time down to which an ordinary poll reads: a margin before the start of the last
 * complete poll, or before the time in `reach` if that is later. For a rescan, returns the time in
 * `reach`.
 */
function nearFloorMs(
  { readAtMs }: FeedMemory,
  { reach, startMs, intervalMs }: HeadOptions,
): number {
  if (reach?.kind === "rescan") return reach.sinceMs;
  const readMs = readAtMs ?? startMs;
  return Math.max(readMs, reach?.sinceMs ?? readMs) - marginMs(intervalMs);
}

function isRescanDue(memory: FeedMemory, options: HeadOptions): boolean {
  const { reach, startMs, overlapMs } = options;
  return reach === undefined
    ? startMs - lastRescanMs(memory, options) >= overlapMs
    : reach.kind === "rescan";
}

/**
 * Returns the time of the last rescan. A stored time in the future was written while the service's
 * clock was fast. Then the result is one overlap ago, because a rescan can be no older than that.
 */
function lastRescanMs(
  { sweptAtMs }: FeedMemory,
  { startMs, overlapMs, intervalMs }: HeadOptions,
): number {
  const lastMs = sweptAtMs ?? startMs;
  return lastMs - startMs > marginMs(intervalMs) ? startMs - overlapMs : lastMs;
}

/**
 * Returns the service time after which items raise alerts even if they are older than `max_age`,
 * because no poll could find them earlier.
 */
export const horizonMs = (memory: FeedMemory): number =>
  Math.min(
    memory.readAtMs ?? Number.POSITIVE_INFINITY,
    ...memory.stretches.map(({ hole }) => hole?.horizonMs ?? Number.POSITIVE_INFINITY),
  );

/** The result of reading the head of a list. */
export interface HeadRead {
  readonly plan: HeadPlan;
  readonly walk: FeedWalk;
  readonly startMs: number;
  /** The bounded query that was used; undefined if there was no bound. */
  readonly query: string | undefined;
}

export function afterHead(memory: FeedMemory, head: HeadRead): FeedMemory {
  const { plan, walk, startMs, query } = head;
  const covered = walk.covered;
  const newestItemMs = newestOf(memory, walk, startMs);
  // The list is empty although it held items before. They were deleted, or the service temporarily
  // shows nothing. The memory stays unchanged in both cases, because the missing items may appear
  // again.
  if (isSuspiciouslyEmpty(memory, walk)) return memory;
  if (walk.end === "cut") {
    if (covered === undefined) return { ...memory, newestItemMs };
    const gap = gapBelowCut(memory, covered, head);
    return {
      ...memory,
      stretches: addRange(memory.stretches, withGap(covered, gap)),
      readAtMs: startMs,
      newestItemMs,
      sweptAtMs: memory.sweptAtMs ?? startMs,
    };
  }
  const sweptAtMs = plan.isRescan || memory.sweptAtMs === null ? startMs : memory.sweptAtMs;
  return {
    stretches: joinHead(memory, covered, walk.firstPageHigh, query !== undefined),
    readAtMs: startMs,
    newestItemMs,
    sweptAtMs,
  };
}

/** Whether a list that held items before came back empty. */
export const isSuspiciouslyEmpty = (memory: FeedMemory, walk: FeedWalk): boolean =>
  memory.newestItemMs !== null && walk.items.length === 0;

function newestOf(memory: FeedMemory, walk: FeedWalk, startMs: number): number | null {
  const times = walk.items
    .map((item) => item.timeMs)
    .filter((timeMs) => timeMs <= startMs + 60_000);
  return times.length === 0 ? memory.newestItemMs : Math.max(memory.newestItemMs ?? 0, ...times);
}

/**
 * Adds the head to the known ranges, because nothing is missing between its newest item and the
 * known items below. On the first read, everything below the first page counts as known. A bounded
 * query stops at its bound, so the part of an older gap below the bound stays open.
 */
function joinHead(
  memory: FeedMemory,
  covered: CoveredRange | undefined,
  high: string | undefined,
  isBounded: boolean,
): readonly CoveredRange[] {
  const newest = memory.stretches[0];
  if (newest === undefined) return [{ high: high ?? BOTTOM, low: BOTTOM }];
  if (high === undefined) return memory.stretches;
  const top = maxId(high, newest.high);
  const low =
    covered !== undefined && compareIds(covered.low, newest.high) < 0 ? covered.low : newest.high;
  const passed = isBounded ? gapAbove(memory, low) : undefined;
  return addRange(
    memory.stretches,
    withGap({ high: top, low }, passed && withoutCursor(passed, 0)),
  );
}

/** Returns the lowest gap that a walk down to `low` has reached; undefined if it reached none. */
const gapAbove = (memory: FeedMemory, low: string): Gap | undefined =>
  memory.stretches.findLast((range) => range.hole !== undefined && compareIds(range.low, low) >= 0)
    ?.hole;

/**
 * Returns the gap that remains below a walk that was cut off. If the walk went into an older gap,
 * the `horizonMs` and `floorMs` of the older gap are kept. In that case the cursor of a bounded
 * query is dropped, because the query does not reach the end of the older gap.
 */
function gapBelowCut(
  memory: FeedMemory,
  covered: CoveredRange,
  { plan, walk, query }: HeadRead,
): Gap {
  const older = gapAbove(memory, covered.low);
  const isDeepEnough = older === undefined || query === undefined;
  const floorMs =
    older === undefined
      ? memory.stretches.length === 0
        ? plan.walk.floorMs
        : undefined
      : older.floorMs;
  return {
    ...(walk.nextCursor === undefined || !isDeepEnough ? {} : { cursor: walk.nextCursor }),
    ...(query === undefined || !isDeepEnough ? {} : { query }),
    ...(floorMs === undefined ? {} : { floorMs }),
    horizonMs: older?.horizonMs ?? memory.readAtMs ?? plan.walk.floorMs,
    tries: 0,
  };
}

export interface FillPlan {
  readonly walk: WalkOptions;
  readonly gap: Gap;
  /** The id bound of the query: it may leave out items with higher ids. */
  readonly belowId: string;
  /** The time bound of the query: it may leave out older items. */
  readonly sinceMs: number;
}

/** Plans how to read the gap below the range at `index`. Undefined if there is no gap. */
export function planFill(
  memory: FeedMemory,
  index: number,
  maxNewPages: number,
  overlapMs: number,
): FillPlan | undefined {
  const range = memory.stretches[index];
  if (range?.hole === undefined) return undefined;
  const knownRanges = memory.stretches.slice(index + 1);
  const floorMs = range.hole.floorMs ?? Number.NEGATIVE_INFINITY;
  return {
    walk: {
      stretches: memory.stretches,
      knownRanges,
      floorMs,
      maxNewPages,
      minItems: 0,
      fills: true,
    },
    gap: range.hole,
    belowId: range.low,
    sinceMs: range.hole.floorMs ?? range.hole.horizonMs - overlapMs,
  };
}

/** The number of attempts without progress after which a gap is given up and reported. */
const MAX_FILL_TRIES = 5;

export interface FillResult {
  readonly memory: FeedMemory;
  /** Whether the gap was given up because the service does not return what lies there. */
  readonly isGapLost: boolean;
  /** Whether the walk read nothing new of the gap, so that this poll does not try again. */
  readonly isStuck: boolean;
}

/** The result of reading a gap. */
export interface FillRead {
  readonly plan: FillPlan;
  readonly walk: FeedWalk;
  /** The bounded query that was used; undefined if there was no bound. */
  readonly query: string | undefined;
  readonly hasFailed: boolean;
}

/**
 * Returns the memory after a walk that fills a gap. If the walk failed, nothing is known about the
 * gap, so the walk does not count as a try.
 */
export function afterFill(
  memory: FeedMemory,
  index: number,
  { plan, walk, query, hasFailed }: FillRead,
): FillResult {
  const { gap } = plan;
  const covered = walk.covered;
  const isEmpty = walk.items.length === 0;
  const closed = () => ({ ...memory, stretches: closeGap(memory.stretches, index) });
  if (walk.end === "end" && !isEmpty) return { memory: closed(), isGapLost: false, isStuck: false };
  if (walk.end === "reached" && !isEmpty) {
    const isAtFloor = covered === undefined || plan.walk.knownRanges.length === 0;
    const stretches = isAtFloor
      ? closeGap(memory.stretches, index)
      : addRange(memory.stretches, { high: plan.belowId, low: covered.low });
    return { memory: { ...memory, stretches }, isGapLost: false, isStuck: false };
  }
  // The walk made no progress, perhaps because the stored cursor has expired. The next attempt has
  // no cursor. Its query starts at the lowest known id, so a working service returns at least that
  // item.
  const hasMoved = covered !== undefined && compareIds(covered.low, plan.belowId) < 0;
  if (!hasMoved) {
    if (hasFailed) return { memory, isGapLost: false, isStuck: true };
    if (gap.tries + 1 >= MAX_FILL_TRIES)
      return { memory: closed(), isGapLost: true, isStuck: true };
    return {
      memory: replaceGap(memory, index, withoutCursor(gap, gap.tries + 1)),
      isGapLost: false,
      isStuck: true,
    };
  }
  const next: Gap = {
    ...withoutCursor(gap, 0),
    ...(walk.nextCursor === undefined ? {} : { cursor: walk.nextCursor }),
    ...(query === undefined ? {} : { query }),
  };
  return {
    memory: {
      ...memory,
      stretches: addRange(memory.stretches, { high: plan.belowId, low: covered.low, hole: next }),
    },
    isGapLost: false,
    isStuck: false,
  };
}

const withoutCursor = ({ horizonMs: horizon, floorMs }: Gap, tries: number): Gap => ({
  horizonMs: horizon,
  tries,
  floorMs,
});

/** Drops the cursor of a gap, because the service no longer accepts it. */
export const forgetCursor = (memory: FeedMemory, index: number): FeedMemory => {
  const gap = memory.stretches[index]?.hole;
  return gap === undefined ? memory : replaceGap(memory, index, withoutCursor(gap, gap.tries + 1));
};

function replaceGap(memory: FeedMemory, index: number, gap: Gap): FeedMemory {
  return {
    ...memory,
    stretches: memory.stretches.map((range, at) => (at === index ? withGap(range, gap) : range)),
  };
}
