/** Which items have a verdict already. */
import type { TargetRef } from "../model/watch-store.ts";
import { type Executor, listStatement } from "./statement.ts";
import { findSurvivor } from "./target-rows.ts";

const known = listStatement<{ targetId: number }, string>()((on, list, slot) =>
  on.selectFrom("items").select("item_id").where("item_id", "in", list).where("target_id", "=", slot("targetId")),
);

/** Per target, in the order of `refs`. */
export async function knownItems(
  db: Executor,
  refs: readonly TargetRef[],
  itemIds: readonly string[],
): Promise<readonly ReadonlySet<string>[]> {
  const sets: ReadonlySet<string>[] = [];
  for (const ref of refs) {
    const target = await findSurvivor(db, ref.watchKey, ref.targetKey);
    const rows = target === undefined ? [] : (await known(db, itemIds, { targetId: target.id })).rows;
    sets.push(new Set(rows.map((row) => row.item_id)));
  }
  return sets;
}
