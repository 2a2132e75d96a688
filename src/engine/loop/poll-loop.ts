/**
 * Runs polls when they are due, with one timer and many polls at once. Ensures that a poll does not
 * run twice at the same time. The runner decides what a poll does.
 */
import type { PollAftermath } from "../../model/poll-aftermath.ts";
import type { Cancel, Clock } from "../../model/clock.ts";
import type { Log } from "../../model/log.ts";
import type { Meter } from "../../model/meter.ts";
import type { Ports } from "../../model/ports.ts";
import { schedulesOf } from "../../plan/timing.ts";
import type { Poll } from "../../polling/watch-poll.ts";
import { createJumpMonitor, type JumpMonitor } from "../../schedule/misfire.ts";
import { type Due, type DueTime, type PollPace, PollQueue } from "./poll-queue.ts";

export interface PollLoopDeps extends PollPace, Pick<Ports, "clock" | "meter" | "log"> {}

/** Runs the polls for the loop. */
export interface PollWork {
  /**
   * Runs a poll and handles its failure. Never rejects. Resolves to when the poll should run next,
   * in epoch ms, if that differs from its schedule.
   */
  runPoll(poll: Poll): Promise<PollAftermath>;
  /**
   * Returns when a poll would run next at the current slow-down, in epoch ms; undefined if the poll
   * follows the ticks of its schedule.
   */
  nextDueMs(poll: Poll): number | undefined;
}

/**
 * The maximum number of polls that run at once. The request gate paces their requests, so this only
 * limits how many polls wait at the gate.
 */
const MAX_RUNNING = 64;
/**
 * The longest time between two turns of the loop. It is short, so that the loop notices soon if the
 * clock was set.
 */
const MAX_SLEEP_MS = 30_000;
/** Takes the place of the real work until `start` is called. */
const NO_WORK: PollWork = { runPoll: async () => ({}), nextDueMs: () => undefined };

export class PollLoop {
  readonly #clock: Clock;
  readonly #meter: Meter;
  readonly #log: Log;
  readonly #queue: PollQueue;
  readonly #jumps: JumpMonitor;
  readonly #running = new Map<string, Promise<void>>();
  /**
   * Polls whose subscribers or schedules changed while they ran. They run again right afterwards.
   */
  readonly #replanned = new Set<string>();
  #work = NO_WORK;
  #isStarted = false;
  #cancelTimer: Cancel | undefined;
  #lastTurnMs: number;
  #timesSetBack = 0;

  constructor({ clock, meter, log, timetable, slowDownOf }: PollLoopDeps) {
    this.#clock = clock;
    this.#meter = meter;
    this.#log = log;
    this.#queue = new PollQueue(clock, { timetable, slowDownOf });
    this.#jumps = createJumpMonitor(clock.now(), clock.monotonic());
    this.#lastTurnMs = clock.monotonic();
  }

  /**
   * Replaces the plan. Polls that are also in the new plan keep their due times, unless their
   * schedules have changed or a subscriber was added. The due time of any other poll is computed
   * from its last poll; a poll that never ran is due now.
   */
  setPolls(polls: readonly Poll[], lastPolledAtMs: ReadonlyMap<string, number>): void {
    const before = new Map(polls.map(({ key }) => [key, this.#queue.pollOf(key)]));
    this.#queue.setPolls(polls, lastPolledAtMs);
    for (const poll of polls) this.#updatePoll(before.get(poll.key), poll);
    this.#arm();
  }

  /** Makes a poll due now, unless it is running. Returns false if it is not in the plan. */
  runNow(key: string): boolean {
    const poll = this.#queue.pollOf(key);
    if (poll === undefined || this.#running.has(key)) return poll !== undefined;
    this.#queue.enterAtOnce(poll);
    this.#arm();
    return true;
  }

  /** Reads the clock again and runs what is due. */
  wake(): void {
    if (this.#isStarted) this.#turn();
  }

  /** Computes due times again. Called when polls have become faster or slower. */
  reschedule(): void {
    this.#queue.reschedule((poll) => this.#work.nextDueMs(poll));
    this.#arm();
  }

  /** Returns when a poll runs next, in epoch ms; undefined while it runs or is unknown. */
  nextDueAt(key: string): number | undefined {
    return this.#queue.nextDueAt(key);
  }

  /**
   * Returns when a poll that another replica runs is due next, in epoch ms. It is computed from the
   * time of the poll's last run.
   */
  dueAfter(poll: Poll, lastPolledMs: number): number {
    return this.#queue.dueAfter(poll, lastPolledMs).dueMs;
  }

  start(work: PollWork): void {
    this.#work = work;
    // The slow-down factors may be newer than the plan. Without this, polls that were slowed down
    // before a restart would be due too early after it.
    this.#queue.reschedule(() => undefined);
    this.#isStarted = true;
    this.#arm();
  }

  /** Starts no more polls. Resolves when the running ones have ended. */
  async stop(): Promise<void> {
    this.#isStarted = false;
    this.#cancelTimer?.();
    await Promise.all(this.#running.values());
  }

  /** The monotonic time of the loop's last turn. If it gets old, the loop has stopped. */
  get lastTurnMs(): number {
    return this.#lastTurnMs;
  }

  /** Returns how many milliseconds ago the earliest waiting poll was due; 0 if no poll is due. */
  overdueMs(): number {
    return Math.max(0, this.#clock.now() - (this.#queue.firstDueAt ?? Number.POSITIVE_INFINITY));
  }

  get running(): number {
    return this.#running.size;
  }

  #updatePoll(old: Poll | undefined, poll: Poll): void {
    const isSame =
      old === poll ||
      (old !== undefined &&
        JSON.stringify(schedulesOf(old.timing)) === JSON.stringify(schedulesOf(poll.timing)));
    const hasNewcomer = old !== undefined && hasNewSubscriber(old, poll);
    if (this.#running.has(poll.key)) {
      if (!isSame || hasNewcomer) this.#replanned.add(poll.key);
    } else if (hasNewcomer) this.#queue.enterAtOnce(poll);
    else if (!isSame || this.#queue.nextDueAt(poll.key) === undefined) this.#queue.enterFirst(poll);
  }

  #arm(): void {
    this.#cancelTimer?.();
    if (!this.#isStarted) return;
    const firstDueMs = this.#running.size < MAX_RUNNING ? this.#queue.firstDueAt : undefined;
    // The time since the last turn counts, because plans may change more often than this.
    const sleepMs = this.#lastTurnMs + MAX_SLEEP_MS - this.#clock.monotonic();
    const dueInMs = (firstDueMs ?? Number.POSITIVE_INFINITY) - this.#clock.now();
    const waitMs = Math.max(0, Math.min(dueInMs, sleepMs));
    this.#cancelTimer = this.#clock.after(waitMs, () => this.#turn());
  }

  #turn(): void {
    this.#lastTurnMs = this.#clock.monotonic();
    this.#checkClock();
    for (const { poll, due } of this.#queue.popDue(MAX_RUNNING - this.#running.size))
      this.#launch(poll, due);
    this.#arm();
  }

  #checkClock(): void {
    if (this.#jumps.observe(this.#clock.now(), this.#clock.monotonic()) >= 0) return;
    this.#timesSetBack += 1;
    this.#queue.computeAgain();
  }

  #launch(poll: Poll, due: Due): void {
    const [startMs, timesSetBack] = [this.#clock.now(), this.#timesSetBack];
    this.#meter.observe(
      "chirpwatch_poll_lateness_seconds",
      Math.max(0, startMs - due.dueMs) / 1_000,
    );
    const run = this.#work
      .runPoll(poll)
      .catch((error: unknown): PollAftermath => {
        this.#log.error("poll loop failed", { poll: poll.key, error });
        return {};
      })
      .then((aftermath) => {
        this.#checkClock();
        // If the clock was set back during the run, the poll's tick is a time of the old clock and
        // cannot be used.
        if (this.#timesSetBack !== timesSetBack)
          this.#finish(
            poll.key,
            this.#queue.nextAfter(poll, this.#clock.now()),
            undefined,
            aftermath,
          );
        else
          this.#finish(
            poll.key,
            this.#queue.nextAfter(poll, due.tickMs, startMs),
            due.tickMs,
            aftermath,
          );
      });
    this.#running.set(poll.key, run);
  }

  /**
   * Handles the end of a run. If the current plan still has the poll, it is put into the queue with
   * its next due time.
   */
  #finish(key: string, next: DueTime, fromMs: Due["pacedFromMs"], aftermath: PollAftermath): void {
    this.#running.delete(key);
    const poll = this.#queue.pollOf(key);
    const isReplanned = this.#replanned.delete(key);
    if (poll !== undefined && this.#queue.nextDueAt(key) === undefined) {
      const { nextDueMs, retryAtMs, notBeforeMs } = aftermath;
      const isWell = retryAtMs === undefined && notBeforeMs === undefined;
      if (isReplanned && isWell) this.#queue.enterAtOnce(poll);
      else {
        const dueMs = isWell
          ? (nextDueMs ?? next.dueMs)
          : Math.max(retryAtMs ?? next.dueMs, notBeforeMs ?? 0);
        const pacedFromMs = isWell || dueMs === next.dueMs ? fromMs : undefined;
        this.#queue.enter(poll, { dueMs, tickMs: next.tickMs }, pacedFromMs);
      }
    }
    this.#arm();
  }
}

/**
 * Whether the new version of a poll has a subscriber that the old one did not have. A new
 * subscriber is polled without waiting for the next tick, also if it joins a shared poll, or moves
 * from one list to another.
 */
function hasNewSubscriber(old: Poll, now: Poll): boolean {
  if (old === now) return false;
  const before = new Set(partsOf(old));
  return partsOf(now).some((part) => !before.has(part));
}

const partsOf = (poll: Poll): readonly string[] =>
  (poll.group?.members ?? [poll]).flatMap(({ key, subscribers }) =>
    subscribers.map(({ watchKey, targetKey }) => `${watchKey}\n${targetKey}\n${key}`),
  );
