/**
 * Limits how fast scheduled polls may read beyond their first page, where they find items missed in
 * a downtime, bursts, gaps and late arrivals. A token bucket fills at the pace that the month can
 * spare. So a backlog is spread over time, and current news, on the first pages, always comes
 * first. All replicas of a state share one bucket: each counts its own pages at once, and takes
 * those of the others from the ledger. Pure.
 */
import type { Priority } from "../model/schedule.ts";

export interface SparePace {
  /** The number of pages that may be read at once. */
  readonly capacity: number;
  readonly perDay: number;
}

export interface CatchUp {
  /**
   * Sets the pace. If it is undefined, no limit is known and nothing is held back. Pages taken
   * before stay taken, so a larger capacity has more room at once.
   */
  adjust(pace: SparePace | undefined, nowMs: number): void;
  /**
   * Counts pages that other replicas on this state have read as taken. A negative number puts back
   * pages that were counted in excess.
   */
  takenByOthers(pages: number): void;
  /**
   * Takes one page for a source and returns true, if the source may read it. An admitted source may
   * finish its walk through the pages, because a walk that is cut off has to start again. What it
   * reads beyond its reservation delays the next source.
   */
  take(source: string, priority: Priority, nowMs: number): boolean;
  /**
   * Ends the source's previous walk, because it begins a new one. Unused pages of its reservation
   * are put back.
   */
  begin(source: string, nowMs: number): void;
}

export interface SparePaceQuery {
  /** The requests of the period that scheduled polls may use; undefined if unknown. */
  readonly softLimit: number | undefined;
  readonly spent: number;
  readonly nowMs: number;
  readonly periodEndMs: number;
  /** The cost of the polls per day at their current pace, including all pages. */
  readonly plannedPerDay: number;
  /** The part of that cost for pages beyond the first. */
  readonly plannedPagesPerDay: number;
}

const DAY_MS = 86_400_000;
const HOURS_A_DAY = 24;
/**
 * How many pages are reserved for each admitted source: as many as an ordinary poll of full depth
 * reads.
 */
const ADMISSION = 10;
/** A source that requests no page for this long is considered finished. */
const IDLE_MS = 60_000;
/** The minimum capacity in pages, however small the quota is. */
const MIN_CAPACITY = 2 * ADMISSION;
/**
 * What the plan leaves over may be spent within this share of the remaining time. The pace is
 * computed anew all the time, so that most of it is kept for later.
 */
const SPARE_HORIZON = 0.25;
/**
 * If the plan leaves nothing to spare, catching up gets this share of an even pace, and polls are
 * slowed down for it.
 */
const MIN_SHARE = 0.1;
/**
 * The share of the bucket that a source of this priority must leave for sources of higher priority.
 */
const KEPT: Readonly<Record<Priority, number>> = { high: 0, normal: 0.2, low: 0.5 };

/**
 * Returns the pace that the month can spare: a capacity of one hour at an even pace, and a day's
 * planned pages plus a part of what the plan leaves over. Undefined if no soft limit is known.
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
   * The number of pages that were taken and not refilled yet, which is what a full bucket lacks,
   * whatever its size.
   */
  let taken = 0;
  let filledAtMs = 0;
  /** How many of its reserved pages each source under way has left. */
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
