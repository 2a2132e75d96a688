/**
 * Decides which members of a group can be read together: those whose first read is complete and
 * whose history has no gap.
 */
import { newestGap, readFeedMemory } from "../../detect/feed-memory.ts";
import type { PollStore, SourceState } from "../../model/poll-store.ts";
import type { TargetState, WatchStore } from "../../model/watch-store.ts";
import { userIdOf } from "../../plan/poll.ts";
import type { Poll } from "../../polling/watch-poll.ts";

export interface GroupMember {
  readonly poll: Poll;
  readonly userId: string;
  /**
   * The key under which the member's probes are stored: the account's id for a timeline, the poll's
   * key for a list.
   */
  readonly key: string;
}

export interface GroupMembers {
  /**
   * Returns the poll keys of the members that must be read on their own. Reads the store only for
   * members that are not known to be ready.
   */
  unready(members: readonly Poll[]): Promise<ReadonlySet<string>>;
  /**
   * Makes the next call of `unready` check a member again. Called after the member was read on its
   * own, because such a read may open or close a gap in its history.
   */
  doubt(pollKey: string): void;
  /**
   * Forgets all members except these. A member that is added again later is checked again, because
   * its watch may have been paused meanwhile.
   */
  keepOnly(pollKeys: ReadonlySet<string>): void;
}

/** Returns the members of a group. Calls with the same group object return the same array. */
export function membersOf(group: Poll): readonly GroupMember[] {
  const known = lists.get(group);
  if (known !== undefined) return known;
  const { kind, members: polls = [] } = group.group ?? {};
  const members = polls.map((poll) => {
    const userId = userIdOf(poll);
    return { poll, userId, key: kind === "member-lists" ? poll.key : userId };
  });
  lists.set(group, members);
  return members;
}

const lists = new WeakMap<Poll, readonly GroupMember[]>();

export function createGroupMembers(
  store: Pick<PollStore, "loadSources"> & Pick<WatchStore, "loadTargets">,
): GroupMembers {
  /** The members that are ready, by poll key. The value is the poll as it was at the check. */
  const ready = new Map<string, Poll>();

  const isReadyNow = (poll: Poll): boolean => {
    const known = ready.get(poll.key);
    return known !== undefined && (known === poll || subscribersOf(known) === subscribersOf(poll));
  };

  return {
    async unready(members) {
      const doubtful = members.filter((poll) => !isReadyNow(poll));
      if (doubtful.length === 0) return new Set();
      const sources = await store.loadSources(doubtful.map(({ key }) => key));
      const targets = await store.loadTargets(doubtful.flatMap(({ subscribers }) => subscribers));
      const settled = new Set(
        targets.filter(isSettled).map(({ watchKey, key }) => `${watchKey}\n${key}`),
      );
      for (const [index, poll] of doubtful.entries()) {
        const isReady =
          isWhole(sources[index]) &&
          poll.subscribers.every(({ watchKey, targetKey }) =>
            settled.has(`${watchKey}\n${targetKey}`),
          );
        if (isReady) ready.set(poll.key, poll);
        else ready.delete(poll.key);
      }
      return new Set(doubtful.map(({ key }) => key).filter((key) => !ready.has(key)));
    },
    doubt: (pollKey) => void ready.delete(pollKey),
    keepOnly(pollKeys) {
      for (const key of ready.keys()) if (!pollKeys.has(key)) ready.delete(key);
    },
  };
}

const subscribersOf = ({ subscribers }: Poll): string =>
  subscribers.map(({ watchKey, targetKey }) => `${watchKey}\n${targetKey}`).join("\n");

/** Whether the target's baseline is complete and its watch has not been paused since then. */
const isSettled = ({ baselineAtMs, memory }: TargetState): boolean =>
  baselineAtMs !== null && memory["resume_ms"] === undefined;

function isWhole(source: SourceState | undefined): boolean {
  const memory = readFeedMemory(source?.memory ?? {});
  return memory.stretches.length > 0 && memory.readAtMs !== null && newestGap(memory) < 0;
}
