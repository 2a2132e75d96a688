/** Finds the rows of targets, and lets one row take over what another remembers. */
import type { TargetRef } from "../../model/watch-store.ts";
import { type Executor, statement } from "../db/statement.ts";
import type { TargetRow } from "./watch-state.ts";

const byKey = statement<{ watchKey: string; key: string }>()((on, slot) =>
  on
    .selectFrom("targets")
    .selectAll()
    .where("watch_key", "=", slot("watchKey"))
    .where("key", "=", slot("key")),
);

/** Returns the row with that key, even if it was merged into another. */
export const findTarget = async (
  on: Executor,
  watchKey: string,
  key: string,
): Promise<TargetRow | undefined> => (await byKey(on, { watchKey, key })).rows[0];

/** Returns the row with a key, or the row into which the row with this key was merged. */
export async function findSurvivor(
  on: Executor,
  watchKey: string,
  key: string,
): Promise<TargetRow | undefined> {
  const row = await findTarget(on, watchKey, key);
  return row === undefined || row.merged_into === null
    ? row
    : findTarget(on, watchKey, row.merged_into);
}

/**
 * Returns a set of known ids for each target, in the order of `refs`; an empty set for a removed
 * target. `idsOf` is called with the id of the target's row, or of the row into which it was
 * merged.
 */
export async function knownOf(
  on: Executor,
  refs: readonly TargetRef[],
  idsOf: (targetId: number) => Promise<readonly string[]>,
): Promise<readonly ReadonlySet<string>[]> {
  const sets: ReadonlySet<string>[] = [];
  for (const { watchKey, targetKey } of refs) {
    const target = await findSurvivor(on, watchKey, targetKey);
    sets.push(new Set(target === undefined ? [] : await idsOf(target.id)));
  }
  return sets;
}

/**
 * Gives the memory of `from` to the key of `to`. The row of `from` is kept with its items and gets
 * the key, name and position of `to`, whose own row is deleted. Items that only `to` has seen are
 * kept, too.
 */
export async function takeOver(on: Executor, from: TargetRow, to: TargetRow): Promise<TargetRow> {
  await on
    .deleteFrom("items")
    .where("target_id", "=", to.id)
    .where("item_id", "in", (eb) =>
      eb.selectFrom("items").select("item_id").where("target_id", "=", from.id),
    )
    .execute();
  const moved = await on
    .updateTable("items")
    .set({ target_id: from.id })
    .where("target_id", "=", to.id)
    .executeTakeFirst();
  await on.deleteFrom("members").where("target_id", "=", to.id).execute();
  await on.deleteFrom("targets").where("id", "=", to.id).execute();
  const row = renamed(from, to, Number(moved.numUpdatedRows));
  await on.updateTable("targets").set(row).where("id", "=", row.id).execute();
  await on
    .updateTable("targets")
    .set({ merged_into: to.key })
    .where("watch_key", "=", from.watch_key)
    .where("merged_into", "=", from.key)
    .execute();
  return row;
}

/** Returns `from` with the key, name and position of `to`. */
export const renamed = (
  from: TargetRow,
  to: Pick<TargetRow, "key" | "name" | "position">,
  movedItems = 0,
): TargetRow => ({
  ...from,
  key: to.key,
  name: to.name,
  position: to.position,
  known_items: from.known_items + movedItems,
  revision: from.revision + 1,
  removed_at: null,
  merged_into: null,
});
