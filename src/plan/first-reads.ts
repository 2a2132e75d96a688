/** What a plan takes once, before its rhythm begins: who is read with others is read by itself the first time, and handles are looked up. Pure. */
import { BATCH_SIZE } from "../model/batch.ts";
import { isAssumed } from "./forecast.ts";
import type { PlannedWatch } from "./plan-polls.ts";
import type { Poll, Pollable } from "./poll.ts";
import { sum } from "./sum.ts";

/** Whether a poll has a target whose first read is not done. */
export function hasUnreadTarget<T extends Pollable>(planned: readonly PlannedWatch<T>[]): (poll: Poll<T>) => boolean {
  const unread = new Set(
    planned.flatMap(({ targets }) =>
      targets.filter(({ baselineAtMs }) => baselineAtMs === null).map(({ watchKey, key }) => `${watchKey}\n${key}`),
    ),
  );
  return ({ subscribers }) => subscribers.some(({ watchKey, targetKey }) => unread.has(`${watchKey}\n${targetKey}`));
}

/** Requests; the first read of what is polled by itself is one of its polls. `pagesOf`: requests of a read of a poll's whole list. */
export function firstRequests(polls: readonly Poll[], planned: readonly PlannedWatch[], pagesOf: (poll: Poll) => number): number {
  const unread = polls.flatMap(({ group }) => group?.members ?? []).filter(hasUnreadTarget(planned));
  const targets = planned.filter(({ paused }) => !paused).flatMap((one) => one.targets);
  const handles = new Set(targets.filter(isAssumed).map(({ userId }) => userId));
  return sum(unread, pagesOf) + Math.ceil(handles.size / BATCH_SIZE);
}
