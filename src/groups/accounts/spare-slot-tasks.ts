/**
 * Chooses accounts that are added at no cost to the searches that a run of a group is about to
 * send. Pure.
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
   * Returns the members that wait for their next request. Called only if the run sends searches.
   */
  readonly waiting: () => readonly Waiting[];
  readonly limits: MergeLimits;
  /**
   * Poll keys of members that must be read on their own, because their first read is not complete
   * or their history has a gap.
   */
  readonly unready: ReadonlySet<string>;
  readonly accountOf: (userId: string) => AccountMemory | undefined;
  readonly intervalMs: number;
  readonly nowMs: number;
  /** Converts a time of the local clock to the service's clock. */
  readonly toService: (localMs: number) => number;
}

/**
 * Returns the members that are added to searches. The members that would be probed next come first.
 * A member is only added if the search need not reach further back for it and needs no further
 * page.
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
