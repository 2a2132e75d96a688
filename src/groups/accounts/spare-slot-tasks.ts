/** Which accounts are piggybacked, for nothing, on the searches that a run of a group is about to send. Pure. */
import { marginMs } from "../../detect/feed-poll.ts";
import type { MergeLimits } from "../../query/merging/merge.ts";
import { floorOf, batchParts, piggybackedFor } from "../queries/query-batches.ts";
import { awaitedOf } from "../probing/probe-choice.ts";
import { partOf, partsOfSearches } from "./account-part.ts";
import type { Turn, Waiting } from "./pacing/turns.ts";
import type { ReadTask } from "./group-tasks.ts";
import type { AccountMemory } from "../probing/probe-states.ts";

export interface SpareSlotQuery {
  readonly tasks: readonly ReadTask[];
  /** Members as they are now; asked for only where there is room. */
  readonly waiting: () => readonly Waiting[];
  readonly limits: MergeLimits;
  /** Poll keys of members that must be read by themselves. */
  readonly unready: ReadonlySet<string>;
  readonly accountOf: (userId: string) => AccountMemory | undefined;
  readonly intervalMs: number;
  readonly nowMs: number;
  /** Our time as the service's. */
  readonly toService: (localMs: number) => number;
}

/** Members that fill searches at no cost: those next in turn, where no search reaches further back for them or takes another page. */
export function spareSlotTasks(query: SpareSlotQuery): Turn<ReadTask> {
  const { tasks, limits, nowMs, toService } = query;
  const isBusy = new Set(tasks.map(({ member }) => member.userId));
  const fillers: Waiting[] = [];
  for (const batch of batchParts(partsOfSearches(tasks, query), limits)) {
    const floorMs = floorOf(batch);
    const free = () => query.waiting().filter((one) => !isBusy.has(one.id) && canFill(one, floorMs, query));
    const own = piggybackedFor(batch, free, ({ id, account }) => partOf(id, account, floorMs, nowMs), limits);
    for (const { id } of own) isBusy.add(id);
    fillers.push(...own);
  }
  const all = fillers.map(({ member, account }): ReadTask => {
    const reach = { kind: "since", sinceMs: toService(account.checkedAtMs) } as const;
    return { member, endpoint: "search", reach, isFull: false };
  });
  return { all, awaited: awaitedOf(fillers) };
}

function canFill({ member, account }: Waiting, floorMs: number, { unready, intervalMs, toService }: SpareSlotQuery): boolean {
  const { handle, probe, checkedAtMs } = account;
  const isReadable = handle !== "" && probe.fields !== null && probe.hidden === undefined && !unready.has(member.poll.key);
  return isReadable && toService(checkedAtMs) - marginMs(intervalMs) >= floorMs;
}
