/**
 * Decides what a run of a group of searches reads: which members together, which on their own, and
 * how far back. Pure.
 */
import type { Reach } from "../../detect/feed-poll.ts";
import { passedMs } from "../../model/clock.ts";
import type { FeedPacer } from "../single/feed-pacers.ts";
import { isAlone, type SearchGroupMemory, type SearchMemory } from "./search-memory.ts";
import type { Poll } from "../../polling/watch-poll.ts";

export interface SearchTask {
  readonly poll: Poll;
  /** How far back the read goes. If undefined, as far as the poll's own memory says. */
  readonly reach?: Reach | undefined;
  /** Whether it is a late-arrival rescan. */
  readonly isRescan: boolean;
  /**
   * Whether it is a verification read: on its own, back to the last such read, to find what reads
   * together did not show.
   */
  readonly isVerification: boolean;
}

export interface SearchTaskQuery {
  readonly members: readonly Poll[];
  readonly pacer: Pick<FeedPacer, "leastMs" | "mostMs">;
  /** Poll keys of members whose own first read is not done or whose history has a gap. */
  readonly unready: ReadonlySet<string>;
  /** Whether a member, by its poll key, is not read for now because it could not be read. */
  readonly isCoolingDown: (pollKey: string) => boolean;
  readonly memory: SearchGroupMemory;
  /**
   * Whether merged answers could not be used recently, so that every member is read on its own for
   * a while.
   */
  readonly isResting: boolean;
  readonly nowMs: number;
  /** Converts a time of our clock to the service's clock. */
  readonly toService: (localMs: number) => number;
}

export interface SearchTasks {
  readonly together: readonly SearchTask[];
  readonly alone: readonly SearchTask[];
}

const JUST_MS = 20_000;

export function searchTasks(query: SearchTaskQuery): SearchTasks {
  const together: SearchTask[] = [];
  const alone: SearchTask[] = [];
  for (const poll of query.members) {
    if (query.isCoolingDown(poll.key)) continue;
    const member = query.memory.members[poll.key];
    if (query.unready.has(poll.key)) alone.push({ poll, isRescan: false, isVerification: false });
    else if (member === undefined) alone.push(joining(poll, query));
    else if (isJustRead(member, query)) continue;
    else if (canShare(member, poll, query)) together.push(regular(poll, member, query));
    else alone.push(byItself(poll, member, query));
  }
  return {
    together: together.some(({ isRescan }) => isRescan)
      ? together.map((task) => rescanned(task, query))
      : together,
    alone,
  };
}

/**
 * Turns a task into a rescan because another one in its query rescans. A late-arrival rescan makes
 * the query long for all who share it, and members that were verified at different times would
 * rescan one after the other.
 */
function rescanned(task: SearchTask, { memory, toService }: SearchTaskQuery): SearchTask {
  const member = memory.members[task.poll.key];
  return task.isRescan || member === undefined
    ? task
    : { ...task, reach: rescanOf(task.poll, member, toService), isRescan: true };
}

/**
 * Returns the first task of a member in the group. It goes twice as far back as the rescans of the
 * member's own polls did, so that it covers what they left to the next rescan.
 */
const joining = (poll: Poll, { nowMs, toService }: SearchTaskQuery): SearchTask => ({
  poll,
  reach: { kind: "rescan", sinceMs: toService(nowMs) - 2 * poll.overlapMs },
  isRescan: true,
  isVerification: false,
});

/**
 * Whether a member was just read. A run that is repeated because others could not be read does not
 * request it again.
 */
const isJustRead = ({ triedAtMs }: SearchMemory, { pacer, nowMs }: SearchTaskQuery): boolean =>
  passedMs(triedAtMs, nowMs) < Math.min(pacer.leastMs / 2, JUST_MS);

function canShare(
  member: SearchMemory,
  poll: Poll,
  { isResting, nowMs, pacer }: SearchTaskQuery,
): boolean {
  if (isResting || isAlone(member, nowMs) || member.isBusy === true || nowMs >= member.proofDueMs)
    return false;
  // A member that was not read for long, as after an outage, would make the merged query read far
  // back.
  return (
    nowMs - member.triedAtMs <= Math.max(poll.overlapMs, 3 * poll.intervalMs, 2 * pacer.mostMs)
  );
}

/**
 * Returns the task that reads a member on its own. If it was read together with others since the
 * last such read, this read verifies that.
 */
export const byItself = (
  poll: Poll,
  member: SearchMemory,
  query: Pick<SearchTaskQuery, "nowMs" | "toService">,
): SearchTask =>
  member.isUnproven === true
    ? {
        poll,
        reach: { kind: "rescan", sinceMs: query.toService(member.provedAtMs) - poll.overlapMs },
        isRescan: true,
        isVerification: true,
      }
    : regular(poll, member, query);

function regular(
  poll: Poll,
  member: SearchMemory,
  { nowMs, toService }: Pick<SearchTaskQuery, "nowMs" | "toService">,
): SearchTask {
  const isRescan = nowMs - member.sweptAtMs >= poll.overlapMs;
  const reach: Reach = isRescan
    ? rescanOf(poll, member, toService)
    : { kind: "since", sinceMs: toService(member.checkedAtMs) };
  return { poll, reach, isRescan, isVerification: false };
}

const rescanOf = (
  { overlapMs }: Poll,
  { sweptAtMs }: SearchMemory,
  toService: SearchTaskQuery["toService"],
): Reach => ({
  kind: "rescan",
  sinceMs: toService(sweptAtMs) - overlapMs,
});
