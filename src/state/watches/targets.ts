/** Stores what is known about a target: its account and its status. */
import type {
  ResolvedAccount,
  TargetRef,
  TargetState,
  TargetStatus,
} from "../../model/watch-store.ts";
import { StoreError } from "../../model/store-error.ts";
import { type Executor, statement, transact } from "../db/statement.ts";
import { findSurvivor, findTarget, takeOver } from "./target-rows.ts";
import { type TargetRow, targetState } from "./watch-state.ts";

/**
 * Returns states in the order of `refs`. If a target was merged into another one, the state of the
 * other one is returned. Unknown targets are left out.
 */
export async function loadTargets(
  db: Executor,
  refs: readonly TargetRef[],
): Promise<readonly TargetState[]> {
  const states: TargetState[] = [];
  for (const ref of refs) {
    const row = await findSurvivor(db, ref.watchKey, ref.targetKey);
    if (row !== undefined) states.push(targetState(row));
  }
  return states;
}

/**
 * Stores the account of a target. If another target of the watch follows the account already, the
 * two become one. Returns the target that remains.
 */
export function resolveTarget(
  db: Executor,
  { watchKey, targetKey }: TargetRef,
  { userId, username }: ResolvedAccount,
): Promise<TargetState> {
  return transact(db, async (on) => {
    const row = await findSurvivor(on, watchKey, targetKey);
    if (row === undefined)
      throw new StoreError("STORE_WRITE_FAILED", `There is no target ${targetKey}.`, {
        retry: "no",
      });
    const survivor = await withHolder(on, row, userId);
    if (survivor.user_id === userId && survivor.username === username) return targetState(survivor);
    const next = { ...survivor, user_id: userId, username, revision: survivor.revision + 1 };
    await on
      .updateTable("targets")
      .set({ user_id: userId, username, revision: next.revision })
      .where("id", "=", next.id)
      .execute();
    return targetState(next);
  });
}

/** Returns the row that remains: one that already follows the account, otherwise the row itself. */
async function withHolder(on: Executor, row: TargetRow, userId: string): Promise<TargetRow> {
  const holder = await on
    .selectFrom("targets")
    .selectAll()
    .where("watch_key", "=", row.watch_key)
    .where("user_id", "=", userId)
    .where("merged_into", "is", null)
    .where("id", "!=", row.id)
    .orderBy("id")
    .executeTakeFirst();
  if (holder === undefined) return row;
  if (holder.removed_at !== null) return takeOver(on, holder, row);
  // Both names are configured: one row follows the account, the other one refers to it.
  await on
    .updateTable("targets")
    .set({ merged_into: holder.key })
    .where("id", "=", row.id)
    .execute();
  return holder;
}

const writeStatus = statement<{ id: number; status: TargetStatus; reason: string }>()((on, slot) =>
  on
    .updateTable("targets")
    .set((eb) => ({
      status: slot("status"),
      status_reason: slot("reason"),
      revision: eb("revision", "+", 1),
    }))
    .where("id", "=", slot("id")),
);

/** Sets a status. If the target has it already, nothing changes, not even the revision. */
export function setTargetStatus(
  db: Executor,
  ref: TargetRef,
  status: TargetStatus,
  reason: string,
): Promise<void> {
  return transact(db, async (on) => {
    const row = await findTarget(on, ref.watchKey, ref.targetKey);
    if (row === undefined || (row.status === status && row.status_reason === reason)) return;
    await writeStatus(on, { id: row.id, status, reason });
  });
}
