/** Returns the verdicts of items that have one, and when each was stored. */
import type { ItemMark } from "../../model/poll-store.ts";
import type { TargetRef } from "../../model/watch-store.ts";
import { type Executor, listStatement } from "../db/statement.ts";
import { findSurvivor } from "../watches/target-rows.ts";

const marks = listStatement<{ targetId: number }, string>()((on, list, slot) =>
  on
    .selectFrom("items")
    .select(["item_id", "verdict", "seen_at"])
    .where("item_id", "in", list)
    .where("target_id", "=", slot("targetId")),
);

/** Returns one map per target, in the order of `refs`. */
export async function itemMarks(
  db: Executor,
  refs: readonly TargetRef[],
  itemIds: readonly string[],
): Promise<readonly ReadonlyMap<string, ItemMark>[]> {
  const found: ReadonlyMap<string, ItemMark>[] = [];
  for (const { watchKey, targetKey } of refs) {
    const target = await findSurvivor(db, watchKey, targetKey);
    const { rows } =
      target === undefined ? { rows: [] } : await marks(db, itemIds, { targetId: target.id });
    found.push(
      new Map(
        rows.map((row) => [row.item_id, { verdict: row.verdict, seenAtMs: Number(row.seen_at) }]),
      ),
    );
  }
  return found;
}
