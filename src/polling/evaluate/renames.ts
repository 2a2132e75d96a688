/**
 * Watched accounts that go by another handle than the state remembers: noticed in whatever answer
 * carries their profile, for free.
 */
import type { TargetChange } from "../../model/poll-store.ts";
import type { User } from "../../model/user.ts";
import type { Reader } from "./load-subscribers.ts";
import { changeOf } from "./target-change.ts";

export interface Rename extends Reader {
  /** Handles without @; `from` is null where none was known. */
  readonly from: string | null;
  readonly to: string;
}

export const findRenames = (
  readers: readonly Reader[],
  users: ReadonlyMap<string, User>,
): readonly Rename[] =>
  readers.flatMap((reader) => {
    const { userId, username: from } = reader.target;
    const to = users.get(userId ?? "")?.username ?? "";
    return to === "" || to === from ? [] : [{ ...reader, from, to }];
  });

/** The changes of a commit with the new handles in them: a target has one change in a commit. */
export function withHandles(
  changes: readonly TargetChange[],
  renames: readonly Rename[],
): readonly TargetChange[] {
  const isOf = (change: TargetChange, { target }: Rename) =>
    change.watchKey === target.watchKey && change.targetKey === target.key;
  const changed = changes.map((change) => {
    const rename = renames.find((one) => isOf(change, one));
    return rename === undefined ? change : { ...change, username: rename.to };
  });
  const added = renames.filter((rename) => !changes.some((change) => isOf(change, rename)));
  return [...changed, ...added.map(({ target, to }) => ({ ...changeOf(target), username: to }))];
}
