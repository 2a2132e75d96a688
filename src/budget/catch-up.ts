/**
 * How fast scheduled polls may read beyond their first page: what was missed in a downtime, bursts, holes, sweeps. A bucket that fills at
 * the pace the month can spare, so that a day's backlog is spread and the news of the moment, the first pages, always goes first. Pure.
 */
import type { Priority } from "../model/schedule.ts";

export interface SparePace {
  /** Pages that may be read at once. */
  readonly capacity: number;
  readonly perDay: number;
}

export interface CatchUp {
  /** Undefined: no limit is known, nothing is held back. The first pace starts with a full bucket. */
  adjust(pace: SparePace | undefined, nowMs: number): void;
  /** Takes one page out; false: not now. */
  take(priority: Priority, nowMs: number): boolean;
}

export interface PaceQuery {
  /** Requests of the period up to which scheduled polls may go; undefined while unknown. */
  readonly line: number | undefined;
  readonly spent: number;
  readonly nowMs: number;
  readonly periodEndMs: number;
  /** What the polls cost a day at the pace they go now, all pages included. */
  readonly plannedPerDay: number;
  /** The part of it that lies beyond first pages. */
  readonly plannedPagesPerDay: number;
}

const DAY_MS = 86_400_000;
const HOURS_A_DAY = 24;
/** However small the quota: one ordinary poll of full depth, twice. */
const LEAST_CAPACITY = 20;
/** Where the plan leaves nothing to spare, catching up takes this share of an even pace; the polls are stretched for it. */
const LEAST_SHARE = 0.1;
/** What is left in the bucket for those who go first. */
const KEPT: Readonly<Record<Priority, number>> = { high: 0, normal: 0.2, low: 0.5 };

/** What the month can spare: an hour of an even pace at once, then whatever the plan leaves. Undefined while no line is known. */
export function sparePace(query: PaceQuery): SparePace | undefined {
  if (query.line === undefined) return undefined;
  const daysLeft = Math.max((query.periodEndMs - query.nowMs) / DAY_MS, 1 / HOURS_A_DAY);
  const evenPerDay = Math.max(0, query.line - query.spent) / daysLeft;
  const spare = Math.max(evenPerDay - query.plannedPerDay, evenPerDay * LEAST_SHARE);
  return { capacity: Math.max(LEAST_CAPACITY, evenPerDay / HOURS_A_DAY), perDay: query.plannedPagesPerDay + spare };
}

export function createCatchUp(): CatchUp {
  let pace: SparePace | undefined;
  let pages = 0;
  let filledAtMs = 0;
  const fill = (nowMs: number) => {
    if (pace === undefined) return;
    pages = Math.min(pace.capacity, pages + (pace.perDay * Math.max(0, nowMs - filledAtMs)) / DAY_MS);
    filledAtMs = nowMs;
  };
  return {
    adjust(next, nowMs) {
      fill(nowMs);
      if (pace === undefined && next !== undefined) pages = next.capacity;
      pace = next;
      filledAtMs = nowMs;
      fill(nowMs);
    },
    take(priority, nowMs) {
      if (pace === undefined) return true;
      fill(nowMs);
      if (pages < 1 || pages - 1 < pace.capacity * KEPT[priority]) return false;
      pages -= 1;
      return true;
    },
  };
}
