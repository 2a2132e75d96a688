/**
 * Finds watched accounts whose handle differs from the stored one. It uses the profiles that
 * answers contain anyway, so it costs no request.
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
 * Adds the new handles to the target changes of a commit. A commit may have only one change for
 * each target, so a handle is added to a change that already exists.
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
