/**
 * What one poll of a feed asks for and what it leaves in memory: the head of the list, then the
 * gaps below. Pure. All times are the service's clock.
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
  /** Oldest time a subscriber in its first run still wants; undefined when none is. */
  readonly firstRunFloorMs?: number;
  readonly minItems: number;
  /** See WalkOptions. */
  readonly hasNoPins?: boolean;
  /** Where something other than the clock decides how deep the poll goes. */
  readonly reach?: Reach;
}

/**
 * - `since`: nothing was posted between the last poll and then, as far as a probe shows.
 * - `rescan`: down to then, whatever was read since, and everything is read now.
 */
export interface Reach {
  readonly kind: "since" | "rescan";
  readonly sinceMs: number;
}

export interface HeadPlan {
  readonly walk: WalkOptions;
  /** The oldest time that a query needs to ask for; undefined: no bound. */
  readonly sinceMs: number | undefined;
  readonly isRescan: boolean;
}

/**
 * Twice the interval, at least 5 s, at most a minute: how late an item may become visible and still
 * be found without a late-arrival rescan.
 */
export const marginMs = (intervalMs: number): number =>
  Math.min(Math.max(2 * intervalMs, 5_000), 60_000);

export function planHead(memory: FeedMemory, options: HeadOptions): HeadPlan {
  const isFirst = memory.stretches.length === 0;
  // While a gap is open a rescan would walk all known pages above it only to be cut there, poll
  // after poll: it waits, and then reaches as far back.
  const canRescan = !isFirst && memory.sweptAtMs !== null && newestGap(memory) < 0;
  const isRescan = canRescan && isRescanDue(memory, options);
  const floors = [options.firstRunFloorMs ?? Number.POSITIVE_INFINITY];
  if (!isFirst) floors.push(nearFloorMs(memory, options));
  if (isRescan && options.reach === undefined)
    floors.push(lastRescanMs(memory, options) - options.overlapMs);
  const floorMs = Math.min(...floors, options.startMs);
  const walk = {
    stretches: memory.stretches,
    ground: memory.stretches,
    floorMs,
    maxNewPages: options.maxPages,
    minItems: options.minItems,
    fills: false,
    ...(options.hasNoPins === true ? { hasNoPins: true } : {}),
  };
  // A clock that runs behind at the service must not push the bound past its newest item.
  const sinceMs = isFirst
    ? undefined
    : Math.min(floorMs, (memory.newestItemMs ?? floorMs) - marginMs(options.intervalMs));
  return { walk, sinceMs, isRescan };
}

/**
 * The start of the last complete poll less a margin, unless something else knows better what was
 * read.
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
 * A time to come was noted while the service's clock ran ahead: rescans are an overlap apart, so
 * the last one was so long ago at most.
 */
function lastRescanMs(
  { sweptAtMs }: FeedMemory,
  { startMs, overlapMs, intervalMs }: HeadOptions,
): number {
  const lastMs = sweptAtMs ?? startMs;
  return lastMs - startMs > marginMs(intervalMs) ? startMs - overlapMs : lastMs;
}

/**
 * Items newer than this are news beyond `max_age`, because no alert could have been sent before.
 */
export const horizonMs = (memory: FeedMemory): number =>
  Math.min(
    memory.readAtMs ?? Number.POSITIVE_INFINITY,
    ...memory.stretches.map(({ hole }) => hole?.horizonMs ?? Number.POSITIVE_INFINITY),
  );

/** A head that was read. */
export interface HeadRead {
  readonly plan: HeadPlan;
  readonly walk: FeedWalk;
  readonly startMs: number;
  /** The bounded query it was read with; undefined: there was no bound. */
  readonly query: string | undefined;
}

export function afterHead(memory: FeedMemory, head: HeadRead): FeedMemory {
  const { plan, walk, startMs, query } = head;
  const covered = walk.covered;
  const newestItemMs = newestOf(memory, walk, startMs);
  // Nothing at all, where something was before: deleted, or the service shows nothing for a moment.
  // No watermark moves by it.
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

/** Whether a list that held items came back without any. */
export const isSuspiciouslyEmpty = (memory: FeedMemory, walk: FeedWalk): boolean =>
  memory.newestItemMs !== null && walk.items.length === 0;

function newestOf(memory: FeedMemory, walk: FeedWalk, startMs: number): number | null {
  const times = walk.items
    .map((item) => item.timeMs)
    .filter((timeMs) => timeMs <= startMs + 60_000);
  return times.length === 0 ? memory.newestItemMs : Math.max(memory.newestItemMs ?? 0, ...times);
}

/**
 * Nothing is missing between the newest item and known ground; in a list never read, everything
 * below the first page is known for ever. A bounded query ends at its bound: where that lies inside
 * an older gap, the rest of the gap stays.
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

/**
 * The gap a walk that got down to `low` has come into; where `low` is known ground, that ground's
 * own gap counts.
 */
const gapAbove = (memory: FeedMemory, low: string): Gap | undefined =>
  memory.stretches.findLast((range) => range.hole !== undefined && compareIds(range.low, low) >= 0)
    ?.hole;

/**
 * The gap under a cut walk. One that ran on into an older gap keeps that gap's horizon and floor,
 * and its query's bound is not deep enough.
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
  /** Highest id a query needs to ask for. */
  readonly belowId: string;
  /** Oldest time a query needs to ask for. */
  readonly sinceMs: number;
}

/** How to go on below range `index`; undefined when there is no gap. */
export function planFill(
  memory: FeedMemory,
  index: number,
  maxNewPages: number,
  overlapMs: number,
): FillPlan | undefined {
  const range = memory.stretches[index];
  if (range?.hole === undefined) return undefined;
  const ground = memory.stretches.slice(index + 1);
  const floorMs = range.hole.floorMs ?? Number.NEGATIVE_INFINITY;
  return {
    walk: { stretches: memory.stretches, ground, floorMs, maxNewPages, minItems: 0, fills: true },
    gap: range.hole,
    belowId: range.low,
    sinceMs: range.hole.floorMs ?? range.hole.horizonMs - overlapMs,
  };
}

/** Attempts without progress before a gap is given up, and reported. */
const MOST_FILL_TRIES = 5;

export interface FillResult {
  readonly memory: FeedMemory;
  /** The service would not give what lies there. */
  readonly isGapLost: boolean;
  /** The walk got no deeper: another one in this poll would not either. */
  readonly isStuck: boolean;
}

/** A gap that was read. */
export interface FillRead {
  readonly plan: FillPlan;
  readonly walk: FeedWalk;
  /** The bounded query it was read with; undefined: there was no bound. */
  readonly query: string | undefined;
  readonly hasFailed: boolean;
}

/**
 * The memory after a filling walk. One that failed on the way says nothing about the gap, and
 * counts as no try.
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
    const isAtFloor = covered === undefined || plan.walk.ground.length === 0;
    const stretches = isAtFloor
      ? closeGap(memory.stretches, index)
      : addRange(memory.stretches, { high: plan.belowId, low: covered.low });
    return { memory: { ...memory, stretches }, isGapLost: false, isStuck: false };
  }
  // A stored cursor that answers nothing may have expired, and a query from the lowest known id
  // gives at least that: ask again without.
  const hasMoved = covered !== undefined && compareIds(covered.low, plan.belowId) < 0;
  if (!hasMoved) {
    if (hasFailed) return { memory, isGapLost: false, isStuck: true };
    if (gap.tries + 1 >= MOST_FILL_TRIES)
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
  ...(floorMs === undefined ? {} : { floorMs }),
});

/** Drops a gap's cursor: the service no longer takes it. */
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
