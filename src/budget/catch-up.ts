/**
 * Limits how many pages beyond the first one scheduled polls may read. These pages contain items
 * from a downtime, from a burst or in a gap, and items that arrived late. A token bucket is
 * refilled at the rate that the month's quota can spare. So a backlog is spread over time, and
 * current news, which is on first pages, comes first. All replicas of a state share one bucket:
 * each counts its own pages immediately, and learns of the others' pages from the ledger. Pure.
 */
import type { Priority } from "../model/schedule.ts";

export interface SparePace {
  /** The number of pages that may be read without waiting if the bucket is full. */
  readonly capacity: number;
  readonly perDay: number;
}

export interface CatchUp {
  /**
   * Sets the capacity and the refill rate. Undefined means that no limit is known, so no page has
   * to wait. Pages that were taken stay taken, so a larger capacity has more free pages
   * immediately.
   */
  adjust(pace: SparePace | undefined, nowMs: number): void;
  /**
   * Counts pages that other replicas on this state have read as taken. A negative number puts back
   * pages that were counted in excess.
   */
  takenByOthers(pages: number): void;
  /**
   * Takes one page for a source. Returns false if the source may not read it. A source that was
   * admitted may finish its walk through the pages, because a walk that is cut off has to start
   * again. If it reads more pages than were reserved, the next source waits longer.
   */
  take(source: string, priority: Priority, nowMs: number): boolean;
  /**
   * Ends the source's previous walk, because it begins a new one. Unused pages of its reservation
   * are put back.
   */
  begin(source: string, nowMs: number): void;
}

export interface SparePaceQuery {
  /** How many requests of the period scheduled polls may use; undefined if unknown. */
  readonly softLimit: number | undefined;
  readonly spent: number;
  readonly nowMs: number;
  readonly periodEndMs: number;
  /** How many requests per day the polls make at their current slow-down, with all their pages. */
  readonly plannedPerDay: number;
  /** The part of `plannedPerDay` for pages beyond the first. */
  readonly plannedPagesPerDay: number;
}

const DAY_MS = 86_400_000;
const HOURS_A_DAY = 24;
/**
 * How many pages are reserved for each admitted source: as many as an ordinary poll of full depth
 * reads.
 */
const ADMISSION = 10;
/** The time without a request after which a source's walk counts as finished. */
const IDLE_MS = 60_000;
/** The minimum capacity in pages, however small the quota is. */
const MIN_CAPACITY = 2 * ADMISSION;
/**
 * The requests that the plan does not need are spread over this share of the remaining time. The
 * rate is computed again every minute from the remaining requests, so it falls as they are spent,
 * and some are always left for later.
 */
const SPARE_HORIZON = 0.25;
/**
 * If the plan needs all remaining requests, further pages still get this share of them, and polls
 * are slowed down for that.
 */
const MIN_SHARE = 0.1;
/**
 * The share of the bucket's capacity that a source of this priority leaves for sources of higher
 * priority.
 */
const KEPT: Readonly<Record<Priority, number>> = { high: 0, normal: 0.2, low: 0.5 };

/**
 * Returns the capacity and the refill rate of the bucket. The capacity is what may be spent in an
 * hour if the rest of the quota is spent evenly. The rate is the plan's pages per day and a part of
 * what the plan does not need. Undefined if no soft limit is known.
 */
export function sparePace(query: SparePaceQuery): SparePace | undefined {
  if (query.softLimit === undefined) return undefined;
  const daysLeft = Math.max((query.periodEndMs - query.nowMs) / DAY_MS, 1 / HOURS_A_DAY);
  const evenPerDay = Math.max(0, query.softLimit - query.spent) / daysLeft;
  const horizonDays = Math.min(Math.max(1, daysLeft * SPARE_HORIZON), daysLeft);
  const sparePerDay = ((evenPerDay - query.plannedPerDay) * daysLeft) / horizonDays;
  return {
    capacity: Math.max(MIN_CAPACITY, evenPerDay / HOURS_A_DAY),
    perDay: query.plannedPagesPerDay + Math.max(sparePerDay, evenPerDay * MIN_SHARE),
  };
}

export function createCatchUp(): CatchUp {
  let pace: SparePace | undefined;
  /**
   * The number of pages that were taken and not refilled yet. A full bucket has 0, whatever its
   * capacity.
   */
  let taken = 0;
  let filledAtMs = 0;
  /** The reserved pages that each admitted source has left, and when it last requested one. */
  const admitted = new Map<string, { left: number; askedAtMs: number }>();
  const release = (source: string) => {
    taken -= admitted.get(source)?.left ?? 0;
    admitted.delete(source);
  };
  const fill = (nowMs: number) => {
    if (pace === undefined) return;
    for (const [source, { askedAtMs }] of admitted)
      if (nowMs - askedAtMs >= IDLE_MS) release(source);
    taken = Math.max(0, taken - (pace.perDay * Math.max(0, nowMs - filledAtMs)) / DAY_MS);
    filledAtMs = nowMs;
  };
  return {
    adjust(next, nowMs) {
      fill(nowMs);
      pace = next;
      filledAtMs = nowMs;
    },
    takenByOthers(pages) {
      if (pace !== undefined) taken = Math.max(0, taken + pages);
    },
    take(source, priority, nowMs) {
      if (pace === undefined) return true;
      fill(nowMs);
      const walk = admitted.get(source);
      if (walk === undefined) {
        if (pace.capacity - taken - ADMISSION < pace.capacity * KEPT[priority]) return false;
        taken += ADMISSION;
        admitted.set(source, { left: ADMISSION - 1, askedAtMs: nowMs });
        return true;
      }
      walk.askedAtMs = nowMs;
      if (walk.left > 0) walk.left -= 1;
      else taken += 1;
      return true;
    },
    begin(source, nowMs) {
      release(source);
      fill(nowMs);
    },
  };
}
