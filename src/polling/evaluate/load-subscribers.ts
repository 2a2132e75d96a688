/** A poll with the targets of its subscribers, as the state has them now. */
import type { TargetState, WatchStore } from "../../model/watch-store.ts";
import type { Poll, Subscriber } from "../watch-poll.ts";

export interface LoadedPoll {
  /** The poll, without subscribers whose target is gone since it was planned, or off the list that it was to be read through. */
  readonly poll: Poll;
  /** In the order of its subscribers. */
  readonly targets: readonly TargetState[];
}

export async function loadSubscribers(store: Pick<WatchStore, "loadTargets">, poll: Poll): Promise<LoadedPoll> {
  const targets = await store.loadTargets(poll.subscribers);
  const isWhole = targets.length === poll.subscribers.length;
  if (isWhole && !targets.some((target, index) => isOffList(poll.subscribers[index], target))) return { poll, targets };
  // The store leaves unknown targets out: only one at a time shows which.
  const found = await Promise.all(
    poll.subscribers.map(async (subscriber) => ({ subscriber, target: (await store.loadTargets([subscriber]))[0] })),
  );
  const kept = found.flatMap(({ subscriber, target }) =>
    target === undefined || isOffList(subscriber, target) ? [] : [{ subscriber, target }],
  );
  return { poll: { ...poll, subscribers: kept.map(({ subscriber }) => subscriber) }, targets: kept.map(({ target }) => target) };
}

/** Its own timeline is read back to when the list was known to hold it: what the list shows now must not end that. */
const isOffList = (subscriber: Subscriber | undefined, { memory }: TargetState): boolean =>
  subscriber?.author !== undefined && memory["list"] === "out";
