/** Watched accounts that go by another handle than the state remembers: noticed in whatever answer carries their profile, for free. */
import type { TargetChange } from "../../model/poll-store.ts";
import type { TargetState } from "../../model/watch-store.ts";
import type { User } from "../../model/user.ts";
import { changeOf } from "./target-change.ts";
import type { Subscriber } from "../watch-poll.ts";

export interface Rename {
  readonly subscriber: Subscriber;
  readonly target: TargetState;
  /** Handles without @; `from` is null where none was known. */
  readonly from: string | null;
  readonly to: string;
}

/** `targets` in the order of `subscribers`. */
export function findRenames(
  subscribers: readonly Subscriber[],
  targets: readonly TargetState[],
  users: ReadonlyMap<string, User>,
): readonly Rename[] {
  return subscribers.flatMap((subscriber, index) => {
    const target = targets[index];
    const to = users.get(target?.userId ?? "")?.username;
    if (target === undefined || to === undefined || to === "" || to === target.username) return [];
    return [{ subscriber, target, from: target.username, to }];
  });
}

/** The changes of a commit with the new handles in them: a target has one change in a commit. */
export function withHandles(changes: readonly TargetChange[], renames: readonly Rename[]): readonly TargetChange[] {
  const isOf = (change: TargetChange, { target }: Rename) => change.watchKey === target.watchKey && change.targetKey === target.key;
  const changed = changes.map((change) => {
    const rename = renames.find((one) => isOf(change, one));
    return rename === undefined ? change : { ...change, username: rename.to };
  });
  const added = renames.filter((rename) => !changes.some((change) => isOf(change, rename)));
  return [...changed, ...added.map(({ target, to }) => ({ ...changeOf(target), username: to }))];
}
