/**
 * How fast scheduled polls may read beyond their first page: what was missed in a downtime, bursts,
 * gaps, late-arrival rescans. A token bucket that fills at the pace the month can spare, so that a
 * day's backlog is spread and the news of the moment, the first pages, always goes first. All
 * replicas of a state have one bucket: each counts its own pages at once, and those of the others
 * as the ledger shows them. Pure.
 */
import type { Priority } from "../model/schedule.ts";

export interface SparePace {
  /** Pages that may be read at once. */
  readonly capacity: number;
  readonly perDay: number;
}

export interface CatchUp {
  /**
   * Undefined: no limit is known, nothing is held back. The bucket is full until pages are taken: a
   * larger one has room for more at once.
   */
  adjust(pace: SparePace | undefined, nowMs: number): void;
  /**
   * Takes pages out that others on this state have read; below zero, it puts back what was taken
   * too much.
   */
  takenByOthers(pages: number): void;
  /**
   * Whether a source may read one page more; counts it. Who was let in goes on until it is done,
   * and what that takes too much is made good before the next one: a walk cut half-way would begin
   * anew and get nowhere.
   */
  take(source: string, priority: Priority, nowMs: number): boolean;
  /**
   * It begins a walk: the one before is over, and what was reserved for it and not needed goes
   * back.
   */
  begin(source: string, nowMs: number): void;
}

export interface SparePaceQuery {
  /** Requests of the period up to which scheduled polls may go; undefined while unknown. */
  readonly softLimit: number | undefined;
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
/** Reserved for each source that is let in: an ordinary poll of full depth. */
const ADMISSION = 10;
/** Who asks for no page for so long is done. */
const IDLE_MS = 60_000;
/** However small the quota. */
const LEAST_CAPACITY = 2 * ADMISSION;
/**
 * What the plan leaves is given out over this part of the time left: most of it stays for what
 * comes later.
 */
const SPARE_HORIZON = 0.25;
/**
 * Where the plan leaves nothing to spare, catching up takes this share of an even pace; the polls
 * are slowed down for it.
 */
const LEAST_SHARE = 0.1;
/** What is left in the bucket for those who go first. */
const KEPT: Readonly<Record<Priority, number>> = { high: 0, normal: 0.2, low: 0.5 };

/**
 * What the month can spare: an hour of an even pace at once, then part of whatever the plan leaves.
 * Undefined while no soft limit is known.
 */
export function sparePace(query: SparePaceQuery): SparePace | undefined {
  if (query.softLimit === undefined) return undefined;
  const daysLeft = Math.max((query.periodEndMs - query.nowMs) / DAY_MS, 1 / HOURS_A_DAY);
  const evenPerDay = Math.max(0, query.softLimit - query.spent) / daysLeft;
  const horizonDays = Math.min(Math.max(1, daysLeft * SPARE_HORIZON), daysLeft);
  const sparePerDay = ((evenPerDay - query.plannedPerDay) * daysLeft) / horizonDays;
  return {
    capacity: Math.max(LEAST_CAPACITY, evenPerDay / HOURS_A_DAY),
    perDay: query.plannedPagesPerDay + Math.max(sparePerDay, evenPerDay * LEAST_SHARE),
  };
}

export function createCatchUp(): CatchUp {
  let pace: SparePace | undefined;
  /**
   * Pages that were taken and are not made good yet: what is missing in a full bucket, however
   * large it is.
   */
  let taken = 0;
  let filledAtMs = 0;
  /** What each source under way has left of the pages that were reserved for it. */
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
