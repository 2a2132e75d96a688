/**
 * Holds the polls of the current plan, made by `poll-planner.ts`, for code that estimates costs,
 * runs polls or shows them.
 */
import type { TargetRef } from "../model/watch-store.ts";
import type { Poll } from "../polling/watch-poll.ts";

export class PlannedPolls {
  #all: readonly Poll[] = [];
  #byWatch: ReadonlyMap<string, readonly Poll[]> = new Map();
  #targets: ReadonlySet<string> = new Set();

  get all(): readonly Poll[] {
    return this.#all;
  }

  /** Returns the polls that serve a watch. */
  of(watchId: string): readonly Poll[] {
    return this.#byWatch.get(watchId) ?? [];
  }

  /** Returns a poll without the subscribers that were paused or removed since it was planned. */
  withoutRemoved(poll: Poll): Poll {
    const subscribers = poll.subscribers.filter((subscriber) =>
      this.#targets.has(targetId(subscriber)),
    );
    return subscribers.length === poll.subscribers.length ? poll : { ...poll, subscribers };
  }

  set(polls: readonly Poll[]): void {
    this.#all = polls;
    this.#byWatch = indexByWatch(polls);
    this.#targets = new Set(polls.flatMap(({ subscribers }) => subscribers.map(targetId)));
  }
}

const targetId = ({ watchKey, targetKey }: TargetRef): string => `${watchKey}\n${targetKey}`;

function indexByWatch(polls: readonly Poll[]): ReadonlyMap<string, readonly Poll[]> {
  const index = new Map<string, Poll[]>();
  for (const poll of polls) {
    for (const { watch } of poll.subscribers) {
      const own = index.get(watch.id);
      if (own === undefined) index.set(watch.id, [poll]);
      else if (own.at(-1) !== poll) own.push(poll);
    }
  }
  return index;
}
