/**
 * Divides the cost of a poll among its watches, so that the parts add up to the whole cost. Pure.
 */
import type { Poll } from "../poll.ts";
import { sum } from "../sum.ts";

/**
 * Returns the shares by watch id, in the order of the subscribers; their sum is 1. In a group, each
 * member's requests are divided among the subscribers of that member.
 */
export function sharesOf({
  subscribers,
  group,
}: Pick<Poll, "subscribers" | "group">): ReadonlyMap<string, number> {
  const weights = group?.weights ?? [];
  const total = sum(weights, (weight) => weight);
  const shares = new Map<string, number>();
  const add = (watchId: string, share: number) =>
    shares.set(watchId, (shares.get(watchId) ?? 0) + share);
  if (group === undefined || total === 0)
    for (const { watch } of subscribers) add(watch.id, 1 / subscribers.length);
  else
    for (const [index, member] of group.members.entries())
      for (const { watch } of member.subscribers)
        add(watch.id, (weights[index] ?? 0) / total / member.subscribers.length);
  return shares;
}
