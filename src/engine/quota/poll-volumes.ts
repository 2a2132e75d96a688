/**
 * Computes the lengths of the lists that polls read completely. Only these figures are kept, so
 * that the states of ten thousand watches need not stay in memory.
 */
import type { WatchState } from "../../model/watch-store.ts";
import type { Watch } from "../../model/watch.ts";
import { knownPages, readsWholeList } from "../../plan/polls/full-read.ts";
import { readSoFar } from "../../plan/polls/whole-reads.ts";
import type { Poll } from "../../polling/watch-poll.ts";

export interface Volumes {
  readonly readAtMs: number;
  /**
   * The number of requests that a complete read takes, by the key of a poll or of a group's member.
   */
  readonly pages: ReadonlyMap<string, number>;
  /**
   * The ids of watches that have not yet read one of their lists to its end. Their days are not
   * counted yet.
   */
  readonly unread: ReadonlySet<string>;
}

export const NO_VOLUMES: Volumes = {
  readAtMs: Number.NEGATIVE_INFINITY,
  pages: new Map(),
  unread: new Set(),
};

/**
 * Returns the ids of watches that read a complete list. Their states are needed to know how long
 * the lists are.
 */
export const watchesWithLists = (polls: readonly Poll[]): readonly string[] => [
  ...new Set(listsOf(polls).flatMap(({ subscribers }) => subscribers.map(({ watch }) => watch.id))),
];

const listsOf = (polls: readonly Poll[]): readonly Poll[] =>
  polls.flatMap((one) => one.group?.members ?? [one]).filter(readsWholeList);

/** Computes the volumes from the states of the watches that `watchesWithLists` returned. */
export function volumesOf(
  polls: readonly Poll[],
  states: readonly WatchState[],
  nowMs: number,
): Volumes {
  const byId = new Map(states.map((state) => [state.id, state]));
  const statesOf = ({ id, movedFrom }: Watch): readonly WatchState[] =>
    [byId.get(id) ?? byId.get(movedFrom ?? "") ?? []].flat();
  const pages = new Map<string, number>();
  for (const poll of listsOf(polls)) {
    const [first] = poll.subscribers;
    const count = first === undefined ? undefined : knownPages(poll, statesOf(first.watch));
    if (count !== undefined) pages.set(poll.key, count);
  }
  const unread = states
    .filter(({ targets }) => targets.some(({ memory }) => readSoFar(memory) !== undefined))
    .map(({ id }) => id);
  return { readAtMs: nowMs, pages, unread: new Set(unread) };
}
