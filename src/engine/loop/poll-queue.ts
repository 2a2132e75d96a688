/**
 * Holds the due time of each planned poll, computed from its schedules and the slow-down. Does not
 * know which polls run.
 */
import type { Clock } from "../../model/clock.ts";
import type { Priority } from "../../model/schedule.ts";
import { isAligned, onGrid } from "../../plan/polls/tick-grid.ts";
import { schedulesOf } from "../../plan/timing.ts";
import type { Poll } from "../../polling/watch-poll.ts";
import { type DueEntry, DueQueue } from "../../schedule/due-queue.ts";
import { nextTick } from "../../schedule/misfire.ts";
import type { Timetable } from "../../schedule/timetable.ts";

export interface PollPace {
  readonly timetable: Timetable;
  /** Returns the factor by which polls of a priority are slowed down while the quota is short. */
  readonly slowDownOf: (priority: Priority) => number;
}

export interface Due extends DueEntry {
  /**
   * The tick of the schedule from which the due time was computed, without the offset that spreads
   * polls.
   */
  readonly tickMs: number;
  /**
   * The tick from which the due time was computed with the current slow-down factor, so that a new
   * factor changes it. Undefined if the due time does not depend on the factor.
   */
  readonly pacedFromMs: number | undefined;
}

export type DueTime = Pick<Due, "dueMs" | "tickMs">;

export class PollQueue {
  readonly #clock: Clock;
  readonly #pace: PollPace;
  readonly #queue = new DueQueue<Due>();
  #polls: ReadonlyMap<string, Poll> = new Map();
  #lastPolledAtMs: ReadonlyMap<string, number> = new Map();

  constructor(clock: Clock, pace: PollPace) {
    this.#clock = clock;
    this.#pace = pace;
  }

  /**
   * Replaces the plan, and removes polls that are no longer planned from the queue. The caller
   * enters new polls.
   */
  setPolls(polls: readonly Poll[], lastPolledAtMs: ReadonlyMap<string, number>): void {
    this.#lastPolledAtMs = lastPolledAtMs;
    this.#polls = new Map(polls.map((poll) => [poll.key, poll]));
    for (const { key } of this.#queue.entries()) if (!this.#polls.has(key)) this.#queue.remove(key);
  }

  /** Returns the planned poll; undefined if the plan does not have it. */
  pollOf(key: string): Poll | undefined {
    return this.#polls.get(key);
  }

  nextDueAt(key: string): number | undefined {
    return this.#queue.get(key)?.dueMs;
  }

  /** When the earliest poll in the queue is due, in epoch ms; undefined if the queue is empty. */
  get firstDueAt(): number | undefined {
    return this.#queue.peek()?.dueMs;
  }

  /** Removes up to `limit` polls that are due now. */
  popDue(limit: number): readonly { readonly poll: Poll; readonly due: Due }[] {
    return this.#planned(this.#queue.popDue(this.#clock.now(), limit));
  }

  enterAtOnce(poll: Poll): void {
    this.enter(poll, this.#atOnce(), undefined);
  }

  /**
   * Enters a poll with the due time that follows from its last run. A poll that never ran is due
   * now.
   */
  enterFirst(poll: Poll): void {
    const nowMs = this.#clock.now();
    const lastPolledMs = this.#lastPolledAtMs.get(poll.key);
    const isNew = lastPolledMs === undefined || lastPolledMs > nowMs;
    const pacedFromMs = isNew ? undefined : lastPolledMs - poll.spreadMs;
    const { dueMs, tickMs } = isNew
      ? { dueMs: nowMs, tickMs: nowMs }
      : this.dueAfter(poll, lastPolledMs);
    // All ticks that were missed during a downtime result in one run, now.
    this.enter(poll, isNew || dueMs <= nowMs ? this.#atOnce() : { dueMs, tickMs }, pacedFromMs);
  }

  /**
   * Returns when a poll is due after its last run, at the current slow-down. All replicas compute
   * the same time.
   */
  dueAfter(poll: Poll, lastPolledMs: number): DueTime {
    const tickMs = tickAfter(this.#pace, poll, lastPolledMs - poll.spreadMs, lastPolledMs);
    return { tickMs, dueMs: tickMs + poll.spreadMs };
  }

  /**
   * Enters a poll. The entry is one object literal, because ten thousand entries made with object
   * spread take a third more memory.
   */
  enter(
    { key, priority }: Poll,
    { dueMs, tickMs }: DueTime,
    pacedFromMs: number | undefined,
  ): void {
    this.#queue.push({ key, dueMs, priority, tickMs, pacedFromMs });
  }

  /** Returns the first tick after `lastTickMs`, with its due time. */
  nextAfter(poll: Poll, lastTickMs: number, nowMs = this.#clock.now()): DueTime {
    const tickMs = tickAfter(this.#pace, poll, lastTickMs, nowMs);
    return { tickMs, dueMs: tickMs + poll.spreadMs };
  }

  /**
   * Computes due times again after the clock was set back. Otherwise polls would wait until the
   * clock reaches the old time again.
   */
  computeAgain(): void {
    for (const { poll, due } of this.#planned(this.#queue.entries()))
      this.enter(poll, this.nextAfter(poll, this.#clock.now()), due.pacedFromMs);
  }

  /**
   * Computes due times again after the slow-down has changed. `nextDueMs` returns the due time of a
   * poll that chooses its own time; undefined if the poll follows its schedule.
   */
  reschedule(nextDueMs: (poll: Poll) => number | undefined): void {
    const nowMs = this.#clock.now();
    for (const { poll, due } of this.#planned(this.#queue.entries())) {
      if (due.pacedFromMs === undefined) continue;
      const isDue = due.dueMs <= nowMs;
      const pacedMs = nextDueMs(poll);
      // A poll that is due already is moved to a later time only if its slowed-down interval is not
      // over yet.
      const scheduled = () =>
        this.nextAfter(poll, due.pacedFromMs ?? nowMs, isDue ? due.pacedFromMs : nowMs);
      const next = pacedMs === undefined ? scheduled() : { dueMs: pacedMs, tickMs: due.tickMs };
      if (isDue ? next.dueMs > nowMs : next.dueMs !== due.dueMs)
        this.enter(poll, next, due.pacedFromMs);
    }
  }

  #planned(entries: readonly Due[]): readonly { readonly poll: Poll; readonly due: Due }[] {
    return entries.flatMap((due) => {
      const poll = this.#polls.get(due.key);
      return poll === undefined ? [] : [{ poll, due }];
    });
  }

  #atOnce(): DueTime {
    return { dueMs: this.#clock.now(), tickMs: this.#clock.now() };
  }
}

function tickAfter(
  { timetable, slowDownOf: factorOf }: PollPace,
  poll: Poll,
  lastMs: number,
  nowMs: number,
): number {
  const slowDown = factorOf(poll.priority);
  const ticks = schedulesOf(poll.timing).map((schedule) => {
    const lastTickMs = isAligned(poll) && slowDown === 1 ? onGrid(schedule, lastMs) : lastMs;
    return nextTick(timetable, {
      schedule,
      lastTickMs,
      nowMs,
      spreadMs: poll.spreadMs,
      slowDownFactor: slowDown,
    });
  });
  return Math.min(...ticks);
}
