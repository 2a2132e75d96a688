/**
 * Decides what a run of a group of searches reads: which members with a merged query, which on
 * their own, and how far back. Pure.
 */
import type { Reach } from "../../detect/feed-poll.ts";
import { passedMs } from "../../model/clock.ts";
import type { FeedPacer } from "../single/feed-pacers.ts";
import { isAlone, type SearchGroupMemory, type SearchMemory } from "./search-memory.ts";
import type { Poll } from "../../polling/watch-poll.ts";

export interface SearchTask {
  readonly poll: Poll;
  /** How far back the read goes. Undefined to read as far back as the poll's own memory says. */
  readonly reach?: Reach | undefined;
  /** Whether the read is a late-arrival rescan. */
  readonly isRescan: boolean;
  /**
   * Whether the read is a verification read. It reads the member on its own, back to the last
   * verification, to find what merged searches did not show.
   */
  readonly isVerification: boolean;
}

export interface SearchTaskQuery {
  readonly members: readonly Poll[];
  readonly pacer: Pick<FeedPacer, "leastMs" | "mostMs">;
  /** Poll keys of members whose first read is not complete or whose history has a gap. */
  readonly unready: ReadonlySet<string>;
  /** Whether a member, given by its poll key, is in a cooldown because it could not be read. */
  readonly isCoolingDown: (pollKey: string) => boolean;
  readonly memory: SearchGroupMemory;
  /**
   * Whether nothing is merged at present, because answers to merged searches could not be used
   * recently.
   */
  readonly isResting: boolean;
  readonly nowMs: number;
  /** Converts a time of the local clock to the service's clock. */
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
 * Makes a task a rescan, because another task of the same run rescans. One rescan makes the merged
 * query read far back for all of its members. Without this, members that were verified at different
 * times would make it read far back in one run after the other.
 */
function rescanned(task: SearchTask, { memory, toService }: SearchTaskQuery): SearchTask {
  const member = memory.members[task.poll.key];
  return task.isRescan || member === undefined
    ? task
    : { ...task, reach: rescanOf(task.poll, member, toService), isRescan: true };
}

/**
 * Returns the first task of a new member. It reads twice as far back as the rescans of the member's
 * own polls, so that it covers what these polls left to their next rescan.
 */
const joining = (poll: Poll, { nowMs, toService }: SearchTaskQuery): SearchTask => ({
  poll,
  reach: { kind: "rescan", sinceMs: toService(nowMs) - 2 * poll.overlapMs },
  isRescan: true,
  isVerification: false,
});

/**
 * Whether a member was just read. If a run is repeated because others could not be read, such a
 * member is left out.
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
  // A member that was not read for a long time, for example after an outage, would make the merged
  // query read far back for all members.
  return (
    nowMs - member.triedAtMs <= Math.max(poll.overlapMs, 3 * poll.intervalMs, 2 * pacer.mostMs)
  );
}

/**
 * Returns a task that reads a member on its own. If the member was read together with others since
 * its last verification, the task is a verification read.
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
