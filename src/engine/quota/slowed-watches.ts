/**
 * Finds the watches that the quota slows down: by how much, until when, and when they are polled
 * next. Includes polls that other replicas make.
 */
import { isSlowed } from "../../budget/slow-down.ts";
import { shardOf } from "../../model/replicas.ts";
import type { Ports } from "../../model/ports.ts";
import type { PollStore } from "../../model/poll-store.ts";
import { PRIORITIES } from "../../model/schedule.ts";
import type { Watch } from "../../model/watch.ts";
import { scheduleOf } from "../../plan/timing.ts";
import type { Poll } from "../../polling/watch-poll.ts";
import type { Timetable } from "../../schedule/timetable.ts";
import type { QuotaMonitor } from "./quota-monitor.ts";

export interface SlowedWatch {
  /**
   * The factor by which the watch's interval is longer than its schedule says. Undefined if the
   * quota is spent, so that the watch is not polled at all.
   */
  readonly factor: number | undefined;
  /** When the quota period ends, in epoch ms. */
  readonly untilMs: number;
  /** When the watch is polled next, in epoch ms; undefined while its poll is under way. */
  readonly nextPollMs: number | undefined;
}

export interface SlowedWatchesDeps extends Pick<Ports, "share" | "clock"> {
  readonly quotaMonitor: Pick<QuotaMonitor, "status" | "heldUntilMs">;
  readonly store: Pick<PollStore, "loadSources">;
  readonly timetable: Timetable;
  readonly pollsOf: (watchId: string) => readonly Poll[];
  readonly loop: {
    nextDueAt(pollKey: string): number | undefined;
    dueAfter(poll: Poll, lastPolledMs: number): number;
  };
}

/**
 * Returns the watches that the quota slows down, by watch id. Queries the state only if there are
 * such watches.
 */
export async function slowedWatches(
  deps: SlowedWatchesDeps,
  watches: readonly Watch[],
): Promise<ReadonlyMap<string, SlowedWatch>> {
  const { quotaMonitor, pollsOf, store } = deps;
  const held = quotaMonitor.heldUntilMs > 0;
  const { factors } = quotaMonitor.status;
  if (!held && !PRIORITIES.some((priority) => isSlowed(factors[priority]))) return new Map();
  const slowed = watches.flatMap((watch) => {
    const polls = pollsOf(watch.id);
    const factor = factorOf(deps, watch, polls);
    return polls.length > 0 && (held || isSlowed(factor)) ? [{ id: watch.id, polls, factor }] : [];
  });
  if (slowed.length === 0) return new Map();
  const keys = [...new Set(slowed.flatMap(({ polls }) => polls.map(({ key }) => key)))];
  const lastPolls = new Map(
    (await store.loadSources(keys)).map(({ fingerprint, lastPollAtMs }) => [
      fingerprint,
      lastPollAtMs,
    ]),
  );
  const untilMs = quotaMonitor.status.period.endMs;
  return new Map(
    slowed.map(({ id, polls, factor }) => {
      // If the quota is spent, only first reads are made, so a watch whose polls have all run
      // before waits.
      const isHeld = held && polls.every(({ key }) => (lastPolls.get(key) ?? null) !== null);
      return [
        id,
        {
          factor: isHeld ? undefined : factor,
          untilMs,
          nextPollMs: nextPollMs(deps, polls, lastPolls),
        },
      ];
    }),
  );
}

/**
 * Returns the factor of the slowest poll of a watch. A watch that shares a faster watch's poll may
 * still be polled as often as its own schedule says.
 */
function factorOf(
  { quotaMonitor, timetable, clock }: SlowedWatchesDeps,
  { timing }: Watch,
  polls: readonly Poll[],
): number {
  const { factors } = quotaMonitor.status;
  const slowed = polls.filter(({ priority }) => isSlowed(factors[priority]));
  if (slowed.length === 0) return 1;
  const ownMs = timetable.intervalMs(scheduleOf(timing), clock.now());
  return Math.max(
    ...slowed.map(
      ({ priority, intervalMs }) => (factors[priority] * Math.min(intervalMs, ownMs)) / ownMs,
    ),
  );
}

function nextPollMs(
  { share, loop, quotaMonitor }: SlowedWatchesDeps,
  polls: readonly Poll[],
  lastPolls: ReadonlyMap<string, number | null>,
): number | undefined {
  const times = polls.flatMap((poll) => {
    const lastMs = lastPolls.get(poll.key) ?? null;
    const isOwn = share.holds("poll", shardOf(poll.key));
    const dueMs = isOwn || lastMs === null ? loop.nextDueAt(poll.key) : loop.dueAfter(poll, lastMs);
    return dueMs === undefined
      ? []
      : [lastMs === null ? dueMs : Math.max(dueMs, quotaMonitor.heldUntilMs)];
  });
  return times.length === 0 ? undefined : Math.min(...times);
}
