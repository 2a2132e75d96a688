/** The poll loop: one timer, a heap of due times, polls side by side. Owns when a poll runs; what a poll does is the runner's. */
import type { PollAftermath } from "../../model/poll-aftermath.ts";
import type { Cancel, Clock } from "../../model/clock.ts";
import type { Log } from "../../model/log.ts";
import type { Meter } from "../../model/meter.ts";
import type { Priority } from "../../model/schedule.ts";
import { isAligned, onGrid } from "../../plan/polls/tick-grid.ts";
import { kindOf } from "../../groups/registry.ts";
import type { Poll } from "../../polling/watch-poll.ts";
import { type DueEntry, DueQueue } from "../../schedule/due-queue.ts";
import { createJumpWatch, nextTick } from "../../schedule/misfire.ts";
import type { Timetable } from "../../schedule/timetable.ts";

export interface PollLoopDeps {
  readonly clock: Clock;
  readonly timetable: Timetable;
  readonly meter: Meter;
  readonly log: Log;
  /** Runs a poll and deals with its failure; never rejects. Times on the wall clock. */
  readonly runPoll: (poll: Poll) => Promise<PollAftermath>;
  /** How much slower polls of a priority go while the quota is short. */
  readonly stretch: (priority: Priority) => number;
  /** When a poll under freshness would run next by the pace of this moment; undefined where that is not known. */
  readonly againAt: (poll: Poll) => number | undefined;
}

export interface PollLoop {
  /** Replaces the plan: polls that stay keep their due times, new ones are due by their last poll, or at once when never polled. */
  setPolls(polls: readonly Poll[], lastPolledAtMs: ReadonlyMap<string, number>): void;
  /** Makes a poll due at once; false when the plan does not have it. */
  hasten(key: string): boolean;
  /** Looks at the clock again: what is due by it runs. */
  wake(): void;
  /** Computes waiting times again: polls go faster or slower than when they were put into the queue. */
  repace(): void;
  /** When a poll runs next, epoch ms; undefined while it runs or is unknown. */
  nextDueAt(key: string): number | undefined;
  start(): void;
  /** Starts nothing more and resolves when what runs has ended. */
  stop(): Promise<void>;
  /** Monotonic time of the last turn of the loop: a loop that stands still is no longer alive. */
  readonly lastTurnMs: number;
  readonly running: number;
  /** How long the longest waiting poll has been due; 0 when none waits. */
  overdueMs(): number;
}

interface Due extends DueEntry {
  /** The tick behind the due time, without spread. */
  readonly tickMs: number;
  /** The tick before it, where the pace of that moment decided how long to wait. */
  readonly pacedFromMs: number | undefined;
  /** Put there by the plan, and not yet run since. */
  readonly isFirst: boolean;
}

/** Requests are paced by the gate; this only bounds what waits there at once. */
const MOST_RUNNING = 64;
/** Wake at least so often, to notice that the clock was set. */
const LONGEST_SLEEP_MS = 30_000;

const NEITHER = { pacedFromMs: undefined, isFirst: false };

/** The first poll of every target is due at once, also where it joins a poll that others share, or is read from another list from now on. */
function hasNewSubscriber(old: Poll, now: Poll): boolean {
  if (old === now) return false;
  const before = new Set(partsOf(old));
  return partsOf(now).some((part) => !before.has(part));
}

const partsOf = (poll: Poll): readonly string[] =>
  kindOf(poll)
    .partsOf(poll)
    .flatMap(({ key, subscribers }) =>
      subscribers.map(({ watchKey, targetKey }) => `${watchKey}\n${targetKey}\n${poll.group === undefined ? "" : key}`),
    );

/** Nothing but its schedule, or its pace, keeps the poll from running again. */
const isHeldByPace = ({ retryAtMs, notBeforeMs, isPaced }: PollAftermath): boolean =>
  isPaced === true || (retryAtMs === undefined && notBeforeMs === undefined);

type Pacing = Pick<PollLoopDeps, "timetable" | "stretch">;

function tickAfter({ timetable, stretch: stretchOf }: Pacing, poll: Poll, lastMs: number, nowMs: number): number {
  const stretch = stretchOf(poll.priority);
  const ticks = poll.schedules.map((schedule) => {
    const lastTickMs = isAligned(poll) && stretch === 1 ? onGrid(schedule, lastMs) : lastMs;
    return nextTick(timetable, { schedule, lastTickMs, nowMs, spreadMs: poll.spreadMs, stretch });
  });
  return Math.min(...ticks);
}

export function createPollLoop(deps: PollLoopDeps): PollLoop {
  const { clock } = deps;
  const queue = new DueQueue<Due>();
  const jumps = createJumpWatch(clock.now(), clock.monotonic());
  const running = new Map<string, Promise<void>>();
  /** Polls whose plan changed while they ran: the newcomer or the new schedule is served right after. */
  const replanned = new Set<string>();
  let polls = new Map<string, Poll>();
  let lastPolled: ReadonlyMap<string, number> = new Map();
  let cancelTimer: Cancel | undefined;
  let isStarted = false;
  let lastTurnMs = clock.monotonic();
  let timesSetBack = 0;

  const arm = () => {
    cancelTimer?.();
    if (!isStarted) return;
    const first = running.size < MOST_RUNNING ? queue.peek() : undefined;
    const waitMs = first === undefined ? LONGEST_SLEEP_MS : Math.min(Math.max(0, first.dueMs - clock.now()), LONGEST_SLEEP_MS);
    cancelTimer = clock.after(waitMs, turn);
  };

  const turn = () => {
    lastTurnMs = clock.monotonic();
    lookAtClock();
    for (const due of queue.popDue(clock.now(), MOST_RUNNING - running.size)) {
      const poll = polls.get(due.key);
      if (poll !== undefined) launch(poll, due);
    }
    arm();
  };

  /** A literal of one shape: ten thousand entries that are spread from others take a third more memory. */
  const enter = (
    { key, priority }: Poll,
    { dueMs, tickMs }: Pick<Due, "dueMs" | "tickMs">,
    { pacedFromMs, isFirst }: Pick<Due, "pacedFromMs" | "isFirst"> = NEITHER,
  ) => queue.push({ key, dueMs, priority, tickMs, pacedFromMs, isFirst });

  const planned = () =>
    queue.entries().flatMap((due) => {
      const poll = polls.get(due.key);
      return poll === undefined ? [] : [{ poll, due }];
    });

  const atOnce = () => ({ dueMs: clock.now(), tickMs: clock.now() });

  /** After a clock that went back, due times computed on the old one would leave polls waiting. */
  const lookAtClock = () => {
    if (jumps.observe(clock.now(), clock.monotonic()) >= 0) return;
    timesSetBack += 1;
    for (const { poll, due } of planned()) enter(poll, nextFor(poll, clock.now()), due);
  };

  const launch = (poll: Poll, due: Due) => {
    const timesBefore = timesSetBack;
    deps.meter.observe("chirpwatch_poll_lateness_seconds", Math.max(0, clock.now() - due.dueMs) / 1_000);
    const stretch = deps.stretch(poll.priority);
    const planned = nextFor(poll, due.tickMs);
    const run = deps
      .runPoll(poll)
      .then((aftermath) => {
        lookAtClock();
        // After a clock that went back, what comes next was worked out on the old time.
        const isOld = timesSetBack !== timesBefore;
        const next = deps.stretch(poll.priority) === stretch ? planned : nextFor(poll, due.tickMs);
        settle(poll.key, isOld ? { ...nextFor(poll, clock.now()), ...NEITHER } : { ...next, pacedFromMs: due.tickMs }, aftermath);
      })
      .catch((error: unknown) => {
        deps.log.error("poll loop failed", { poll: poll.key, error });
        settle(poll.key, { ...planned, pacedFromMs: undefined }, {});
      });
    running.set(poll.key, run);
  };

  const settle = (key: string, next: Pick<Due, "dueMs" | "tickMs" | "pacedFromMs">, aftermath: PollAftermath) => {
    running.delete(key);
    const poll = polls.get(key);
    const isReplanned = replanned.delete(key);
    if (poll !== undefined && queue.get(key) === undefined) {
      if (isReplanned && isHeldByPace(aftermath)) {
        enter(poll, atOnce());
        return arm();
      }
      const dueMs = Math.max(aftermath.retryAtMs ?? next.dueMs, aftermath.notBeforeMs ?? 0);
      const pacedFromMs = dueMs === next.dueMs || aftermath.isPaced === true ? next.pacedFromMs : undefined;
      enter(poll, { dueMs, tickMs: next.tickMs }, { pacedFromMs, isFirst: false });
    }
    arm();
  };

  const nextFor = (poll: Poll, lastTickMs: number, nowMs = clock.now()): Pick<Due, "dueMs" | "tickMs"> => {
    const tickMs = tickAfter(deps, poll, lastTickMs, nowMs);
    return { tickMs, dueMs: tickMs + poll.spreadMs };
  };

  const enterFirst = (poll: Poll, lastPolledMs: number | undefined): void => {
    const nowMs = clock.now();
    const isNew = lastPolledMs === undefined || lastPolledMs > nowMs;
    const pacedFromMs = isNew ? undefined : lastPolledMs - poll.spreadMs;
    const tickMs = isNew ? nowMs : tickAfter(deps, poll, lastPolledMs - poll.spreadMs, lastPolledMs);
    const dueMs = tickMs + poll.spreadMs;
    // A tick that fell into the downtime runs once, now.
    enter(poll, isNew || dueMs <= nowMs ? atOnce() : { dueMs, tickMs }, { pacedFromMs, isFirst: true });
  };

  return {
    setPolls(next, lastPolledAtMs) {
      const before = polls;
      lastPolled = lastPolledAtMs;
      polls = new Map(next.map((poll) => [poll.key, poll]));
      for (const { key } of queue.entries()) if (!polls.has(key)) queue.remove(key);
      for (const poll of next) {
        const old = before.get(poll.key);
        const isSame = old !== undefined && JSON.stringify(old.schedules) === JSON.stringify(poll.schedules);
        const hasNewcomer = old !== undefined && hasNewSubscriber(old, poll);
        if (running.has(poll.key) && (!isSame || hasNewcomer)) replanned.add(poll.key);
        if (running.has(poll.key) || (isSame && !hasNewcomer && queue.get(poll.key) !== undefined)) continue;
        if (hasNewcomer) enter(poll, atOnce());
        else enterFirst(poll, lastPolledAtMs.get(poll.key));
      }
      arm();
    },
    hasten(key) {
      const poll = polls.get(key);
      if (poll === undefined || running.has(key)) return poll !== undefined;
      enter(poll, atOnce());
      arm();
      return true;
    },
    wake: () => (isStarted ? turn() : undefined),
    repace() {
      const nowMs = clock.now();
      for (const { poll, due } of planned()) {
        if (due.pacedFromMs === undefined) continue;
        const isDue = due.dueMs <= nowMs;
        const againAtMs = poll.freshness === undefined ? undefined : deps.againAt(poll);
        // What is due already is put off only where its interval is not over any more.
        const scheduled = () => nextFor(poll, due.pacedFromMs ?? nowMs, isDue ? due.pacedFromMs : nowMs);
        const next = againAtMs === undefined ? scheduled() : { dueMs: againAtMs, tickMs: due.tickMs };
        if (isDue ? next.dueMs > nowMs : next.dueMs !== due.dueMs) enter(poll, next, due);
      }
      arm();
    },
    nextDueAt: (key) => queue.get(key)?.dueMs,
    start() {
      // The pace may have been learned after the plan was made: polls that were stretched before a restart are no sooner due after it.
      for (const { poll, due } of planned()) if (due.isFirst) enterFirst(poll, lastPolled.get(due.key));
      isStarted = true;
      arm();
    },
    async stop() {
      isStarted = false;
      cancelTimer?.();
      await Promise.all(running.values());
    },
    get lastTurnMs() {
      return lastTurnMs;
    },
    overdueMs: () => Math.max(0, clock.now() - (queue.peek()?.dueMs ?? Number.POSITIVE_INFINITY)),
    get running() {
      return running.size;
    },
  };
}
