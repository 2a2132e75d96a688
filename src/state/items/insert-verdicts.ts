/** Inserts the verdicts of a commit. An item keeps its first verdict. */
import { addWatchHours } from "./watch-hours.ts";
import type { ItemVerdict } from "../../model/poll-store.ts";
import { type Executor, insertRows, statement } from "../db/statement.ts";
import type { ItemsTable } from "../db/tables.ts";
import type { TargetRevisions } from "../watches/target-revisions.ts";

const insertItems = insertRows(
  "items",
  ["item_id", "target_id", "item_kind", "verdict", "detail", "occurred_at", "seen_at", "event_id"],
  (insert) =>
    insert.onConflict((conflict) => conflict.columns(["item_id", "target_id"]).doNothing()),
);

const addKnown = statement<{ id: number; count: number }>()((on, slot) =>
  on
    .updateTable("targets")
    .set((eb) => ({ known_items: eb("known_items", "+", slot("count")) }))
    .where("id", "=", slot("id")),
);

/**
 * Inserts verdicts. Returns false if one of them belongs to a removed target. The target's count of
 * known items changes, but not its revision.
 */
export async function insertVerdicts(
  on: Executor,
  targets: TargetRevisions,
  verdicts: readonly ItemVerdict[],
  atMs: number,
): Promise<boolean> {
  const byTarget = new Map<number, { readonly watchKey: string; readonly rows: ItemsTable[] }>();
  for (const verdictsOfTarget of groupByTarget(verdicts)) {
    const target = await targets.find(verdictsOfTarget[0]);
    if (target === undefined) return false;
    const { id } = target;
    const own = byTarget.get(id) ?? { watchKey: verdictsOfTarget[0].watchKey, rows: [] };
    own.rows.push(...verdictsOfTarget.map((verdict) => itemRow(verdict, id, atMs)));
    byTarget.set(id, own);
  }
  const read = new Map<string, { read: number; filtered: number }>();
  for (const [id, { watchKey, rows }] of byTarget) {
    const { changed } = await insertItems(on, rows);
    if (changed === 0) continue;
    await addKnown(on, { id, count: changed });
    const counts = read.get(watchKey) ?? { read: 0, filtered: 0 };
    // Some of the items may have had a verdict already, and the database does not say which rows it
    // inserted. So these counts are upper bounds.
    counts.read += Math.min(changed, rows.filter(({ verdict }) => verdict !== "baseline").length);
    counts.filtered += Math.min(
      changed,
      rows.filter(({ verdict }) => verdict === "filtered").length,
    );
    read.set(watchKey, counts);
  }
  await addWatchHours(on, read, atMs);
  return true;
}

/**
 * Groups neighbouring verdicts of the same target, so that each target is looked up once instead of
 * once per item. A poll's verdicts are ordered by target.
 */
function groupByTarget(
  verdicts: readonly ItemVerdict[],
): readonly [ItemVerdict, ...ItemVerdict[]][] {
  const groups: [ItemVerdict, ...ItemVerdict[]][] = [];
  for (const verdict of verdicts) {
    const current = groups.at(-1);
    const isSame =
      current?.[0].watchKey === verdict.watchKey && current[0].targetKey === verdict.targetKey;
    if (current !== undefined && isSame) current.push(verdict);
    else groups.push([verdict]);
  }
  return groups;
}

const itemRow = (verdict: ItemVerdict, targetId: number, atMs: number): ItemsTable => ({
  item_id: verdict.itemId,
  target_id: targetId,
  item_kind: verdict.itemKind,
  verdict: verdict.verdict,
  detail: verdict.detail,
  occurred_at: verdict.occurredAtMs,
  seen_at: atMs,
  event_id: verdict.eventId ?? null,
});
