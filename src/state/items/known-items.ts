/** Returns which items have a verdict already. */
import type { TargetRef } from "../../model/watch-store.ts";
import { type Executor, listStatement } from "../db/statement.ts";
import { knownOf } from "../watches/target-rows.ts";

const known = listStatement<{ targetId: number }, string>()((on, list, slot) =>
  on
    .selectFrom("items")
    .select("item_id")
    .where("item_id", "in", list)
    .where("target_id", "=", slot("targetId")),
);

/** Returns one set per target, in the order of `refs`. */
export const knownItems = (
  db: Executor,
  refs: readonly TargetRef[],
  itemIds: readonly string[],
): Promise<readonly ReadonlySet<string>[]> =>
  knownOf(db, refs, async (targetId) =>
    (await known(db, itemIds, { targetId })).rows.map((row) => row.item_id),
  );
