/**
 * Which members of a group can be read together with others: those whose own first read is done and
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
   * Under which its probes are remembered: a timeline under the id of its account, a list under the
   * key of its poll.
   */
  readonly key: string;
}

export interface GroupMembers {
  /**
   * Members that must be read by themselves, each; the store is asked only for those not known to
   * be ready.
   */
  unready(members: readonly Poll[]): Promise<ReadonlySet<string>>;
  /** A member that was read by itself: its history may have a gap now, or none any more. */
  doubt(pollKey: string): void;
  /** Forgets all others: who comes back may have been paused. */
  keepOnly(pollKeys: ReadonlySet<string>): void;
}

/** The same list for the same plan. */
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
  /** By poll key, as it was planned when it was found ready. */
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

/** Its baseline is done, and it was not paused since. */
const isSettled = ({ baselineAtMs, memory }: TargetState): boolean =>
  baselineAtMs !== null && memory["resume_ms"] === undefined;

function isWhole(source: SourceState | undefined): boolean {
  const memory = readFeedMemory(source?.memory ?? {});
  return memory.stretches.length > 0 && memory.readAtMs !== null && newestGap(memory) < 0;
}
