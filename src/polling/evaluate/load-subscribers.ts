/** A poll with the targets of its subscribers, as the state has them now. */
import type { TargetState, WatchStore } from "../../model/watch-store.ts";
import type { Poll, Subscriber } from "../watch-poll.ts";

/** A subscriber of a poll, with its target. */
export interface Reader {
  readonly subscriber: Subscriber;
  readonly target: TargetState;
}

export const targetsOfReaders = (readers: readonly Reader[]): readonly TargetState[] =>
  readers.map(({ target }) => target);

export interface LoadedPoll {
  /**
   * The poll, without subscribers whose target is gone since it was planned, or off the list that
   * it was to be read through.
   */
  readonly poll: Poll;
  /** Its subscribers, in their order. */
  readonly readers: readonly Reader[];
}

export async function loadSubscribers(
  store: Pick<WatchStore, "loadTargets">,
  poll: Poll,
): Promise<LoadedPoll> {
  const { subscribers } = poll;
  const known = await store.loadTargets(subscribers);
  // The store leaves unknown targets out: only one at a time shows which.
  const oneByOne = () =>
    Promise.all(subscribers.map(async (subscriber) => (await store.loadTargets([subscriber]))[0]));
  const targets = known.length === subscribers.length ? known : await oneByOne();
  const readers = subscribers.flatMap((subscriber, index) => {
    const target = targets[index];
    return target === undefined || isOffList(subscriber, target) ? [] : [{ subscriber, target }];
  });
  const isWhole = readers.length === subscribers.length;
  return {
    poll: isWhole ? poll : { ...poll, subscribers: readers.map(({ subscriber }) => subscriber) },
    readers,
  };
}

/**
 * Its own timeline is read back to when the list was known to hold it: what the list shows now must
 * not end that.
 */
const isOffList = ({ author }: Subscriber, { memory }: TargetState): boolean =>
  author !== undefined && memory["list"] === "out";
