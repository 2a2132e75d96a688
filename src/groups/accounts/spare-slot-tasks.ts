/**
 * Decides which accounts are piggybacked, at no cost, on the searches that a run of a group is
 * about to send. Pure.
 */
import { marginMs } from "../../detect/feed-poll.ts";
import type { MergeLimits } from "../../query/merging/merge.ts";
import { awaitedOf, chooseProbe } from "../probing/probe-choice.ts";
import {
  batchParts,
  fillersOf,
  floorOf,
  partOf,
  partsOfSearches,
  triedFor,
} from "./search-parts.ts";
import type { Turn, Waiting } from "./pacing/turns.ts";
import type { ReadTask } from "./group-tasks.ts";
import type { AccountMemory } from "../probing/probe-states.ts";

export interface SpareSlotQuery {
  readonly tasks: readonly ReadTask[];
  /**
   * Returns the members that wait for their next request. Called only if there are searches to
   * fill.
   */
  readonly waiting: () => readonly Waiting[];
  readonly limits: MergeLimits;
  /**
   * Poll keys of members that must be read on their own, because their first read is not done or
   * their history has a gap.
   */
  readonly unready: ReadonlySet<string>;
  readonly accountOf: (userId: string) => AccountMemory | undefined;
  readonly intervalMs: number;
  readonly nowMs: number;
  /** Converts a time of our clock to the service's clock. */
  readonly toService: (localMs: number) => number;
}

/**
 * Returns the members that fill searches at no cost: those that are next in turn, if no search has
 * to reach further back for them or needs another page.
 */
export function spareSlotTasks(query: SpareSlotQuery): Turn<ReadTask> {
  const { tasks, limits, nowMs, toService } = query;
  const isTaken = new Set(tasks.map(({ member }) => member.userId));
  const fillers: Waiting[] = [];
  const batches = batchParts(partsOfSearches(tasks, query), limits);
  const waiting = batches.length === 0 ? [] : query.waiting();
  for (const batch of batches) {
    const floorMs = floorOf(batch);
    const free = waiting.filter((one) => !isTaken.has(one.id) && canFill(one, floorMs, query));
    const next = chooseProbe(free, Number.POSITIVE_INFINITY, triedFor(batch, limits));
    const parts = next.map((one) => ({ ...partOf(one.id, one.account, floorMs, nowMs), one }));
    for (const { one } of fillersOf(batch, parts, limits)) {
      isTaken.add(one.id);
      fillers.push(one);
    }
  }
  const all = fillers.map(({ member, account }): ReadTask => {
    const reach = { kind: "since", sinceMs: toService(account.checkedAtMs) } as const;
    return { member, endpoint: "search", reach, isFull: false };
  });
  return { all, awaited: awaitedOf(fillers) };
}

function canFill(
  { member, account }: Waiting,
  floorMs: number,
  { unready, intervalMs, toService }: SpareSlotQuery,
): boolean {
  const { handle, probe, checkedAtMs } = account;
  const isReadable =
    handle !== "" &&
    probe.fields !== null &&
    probe.hidden === undefined &&
    !unready.has(member.poll.key);
  return isReadable && toService(checkedAtMs) - marginMs(intervalMs) >= floorMs;
}
