/**
 * Finds watched accounts whose handle differs from the stored one, in any answer that has their
 * profile, at no cost.
 */
import type { TargetChange } from "../../model/poll-store.ts";
import type { User } from "../../model/user.ts";
import type { Reader } from "./load-subscribers.ts";
import { changeOf } from "./target-change.ts";

export interface Rename extends Reader {
  /** Handles without @; `from` is null if none was known. */
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

/**
 * Returns the changes of a commit with the new handles in them, because a commit has one change per
 * target.
 */
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
