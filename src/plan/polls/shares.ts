/**
 * Divides the cost of a poll among its watches, so that the parts add up to the whole cost. Pure.
 */
import type { Poll } from "../poll.ts";
import { sum } from "../sum.ts";

type Shared = Pick<Poll, "subscribers" | "group">;

/** Returns the shares by watch id, in the order of the subscribers; their sum is 1. */
export function sharesOf(poll: Shared): ReadonlyMap<string, number> {
  const shares = new Map<string, number>();
  eachShare(poll, (watchId, share) => shares.set(watchId, (shares.get(watchId) ?? 0) + share));
  return shares;
}

/**
 * Calls `add` with the share of each subscriber. A watch with several subscribers has the sum of
 * theirs. In a group, each member's requests are divided among the subscribers of that member.
 */
export function eachShare(
  { subscribers, group }: Shared,
  add: (watchId: string, share: number) => void,
): void {
  const weights = group?.weights ?? [];
  const total = sum(weights, (weight) => weight);
  if (group === undefined || total === 0)
    for (const { watch } of subscribers) add(watch.id, 1 / subscribers.length);
  else
    for (const [index, member] of group.members.entries())
      for (const { watch } of member.subscribers)
        add(watch.id, (weights[index] ?? 0) / total / member.subscribers.length);
}
