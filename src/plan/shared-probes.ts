/** Which accounts are asked for in the same instant already, whoever asks: their profiles come in the same requests. Pure arithmetic. */
import { BATCH_SIZE } from "../model/batch.ts";
import { schedulesKey } from "./group-spread.ts";
import type { Poll } from "./poll.ts";

export interface SharedProbes {
  /** Requests a run more, when these accounts are asked for on the schedules of `poll` beside all that were added. */
  more(poll: Pick<Poll, "schedules">, userIds: readonly string[]): number;
  /** The same, and from now on they are asked for. */
  add(poll: Pick<Poll, "schedules">, userIds: readonly string[]): number;
  /** Whether anybody is asked for on these schedules. */
  has(poll: Pick<Poll, "schedules">): boolean;
}

export function createSharedProbes(): SharedProbes {
  const bySchedule = new Map<string, Set<string>>();
  const requests = (accounts: number): number => Math.ceil(accounts / BATCH_SIZE);
  const more = (poll: Pick<Poll, "schedules">, userIds: readonly string[]): number => {
    const asked = bySchedule.get(schedulesKey(poll)) ?? new Set();
    const others = new Set(userIds.filter((id) => !asked.has(id)));
    return requests(asked.size + others.size) - requests(asked.size);
  };
  return {
    more,
    add(poll, userIds) {
      const added = more(poll, userIds);
      const key = schedulesKey(poll);
      const asked = bySchedule.get(key) ?? new Set();
      for (const id of userIds) asked.add(id);
      bySchedule.set(key, asked);
      return added;
    },
    has: (poll) => bySchedule.has(schedulesKey(poll)),
  };
}
