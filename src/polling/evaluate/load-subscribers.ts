/** Loads a poll with the current targets of its subscribers. */
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
   * The poll without two kinds of subscribers: those whose target was removed since the poll was
   * planned, and those whose author has left the public list that the poll reads.
   */
  readonly poll: Poll;
  /** The remaining subscribers with their targets, in the order of the poll. */
  readonly readers: readonly Reader[];
}

export async function loadSubscribers(
  store: Pick<WatchStore, "loadTargets">,
  poll: Poll,
): Promise<LoadedPoll> {
  const { subscribers } = poll;
  const known = await store.loadTargets(subscribers);
  // The store leaves unknown targets out; only loading them one by one shows which.
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
 * Whether the author has left the public list. The author's own timeline is then read, back to the
 * time when the author was last known to be on the list, and an answer of the list must not count
 * as that read.
 */
const isOffList = ({ author }: Subscriber, { memory }: TargetState): boolean =>
  author !== undefined && memory["list"] === "out";
