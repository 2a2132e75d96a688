/**
 * What a run of a group of searches reads: which members together, which by themselves, how deep.
 * Pure.
 */
import type { Reach } from "../../detect/feed-poll.ts";
import { passedMs } from "../../model/clock.ts";
import type { FeedPacer } from "../single/feed-pacers.ts";
import { isAlone, type SearchGroupMemory, type SearchMemory } from "./search-memory.ts";
import type { Poll } from "../../polling/watch-poll.ts";

export interface SearchTask {
  readonly poll: Poll;
  /** Undefined: as deep as the poll's own memory says. */
  readonly reach?: Reach;
  /** It is a late-arrival rescan. */
  readonly isRescan: boolean;
  /** By itself, back to the last such read: it finds what reads together had not shown. */
  readonly isVerification: boolean;
}

export interface SearchTaskQuery {
  readonly members: readonly Poll[];
  readonly pacer: Pick<FeedPacer, "leastMs" | "mostMs">;
  /** Poll keys of members whose own first read or history is not done. */
  readonly unready: ReadonlySet<string>;
  /** Poll keys of members that are left alone for now: they could not be read. */
  readonly isCoolingDown: (pollKey: string) => boolean;
  readonly memory: SearchGroupMemory;
  /** Merged answers were no use lately. */
  readonly isResting: boolean;
  readonly nowMs: number;
  /** Our time as the service's. */
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
 * A late-arrival rescan makes its query long for all who share it, and members that were verified
 * at different times would have one after the other: together they rescan when the first of them
 * has to.
 */
function rescanned(task: SearchTask, { memory, toService }: SearchTaskQuery): SearchTask {
  const member = memory.members[task.poll.key];
  return task.isRescan || member === undefined
    ? task
    : { ...task, reach: rescanOf(task.poll, member, toService), isRescan: true };
}

/** Twice as deep as its own polls rescanned: what they left to the next rescan is covered. */
const joining = (poll: Poll, { nowMs, toService }: SearchTaskQuery): SearchTask => ({
  poll,
  reach: { kind: "rescan", sinceMs: toService(nowMs) - 2 * poll.overlapMs },
  isRescan: true,
  isVerification: false,
});

/** A run that is repeated, because others could not be read, asks for nobody again. */
const isJustRead = ({ triedAtMs }: SearchMemory, { pacer, nowMs }: SearchTaskQuery): boolean =>
  passedMs(triedAtMs, nowMs) < Math.min(pacer.leastMs / 2, JUST_MS);

function canShare(
  member: SearchMemory,
  poll: Poll,
  { isResting, nowMs, pacer }: SearchTaskQuery,
): boolean {
  if (isResting || isAlone(member, nowMs) || member.isBusy === true || nowMs >= member.proofDueMs)
    return false;
  // After an outage the query of all would be long.
  return (
    nowMs - member.triedAtMs <= Math.max(poll.overlapMs, 3 * poll.intervalMs, 2 * pacer.mostMs)
  );
}

/** By itself. What was read together since the last such read has to be verified then. */
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
