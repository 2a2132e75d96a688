/** Converts rows of watches and targets into the types of the port. */
import type { Selectable } from "kysely";
import type { TargetState, TargetStatus, WatchState } from "../../model/watch-store.ts";
import { fromText } from "../db/json-text.ts";
import type { TargetsTable, WatchesTable } from "../db/tables.ts";

export type TargetRow = Selectable<TargetsTable>;
export type WatchRow = Selectable<WatchesTable>;

const numberOrNull = (value: number | null): number | null =>
  value === null ? null : Number(value);

/**
 * The string for each status, shared by all rows with that status. The driver creates a new string
 * for every column, and there may be ten thousand targets.
 */
const statuses = new Map<TargetStatus, TargetStatus>();
function shared(status: TargetStatus): TargetStatus {
  const known = statuses.get(status);
  if (known === undefined) statuses.set(status, status);
  return known ?? status;
}

/** The columns of a watch that its state is made of. */
export type StoredWatch = Pick<
  WatchRow,
  "key" | "id" | "type" | "registered_at" | "paused" | "accounts"
>;
/** The columns of a target that its state is made of. */
export type StoredTarget = Omit<TargetRow, "id" | "position" | "removed_at" | "merged_into">;

export const targetState = (row: StoredTarget, watchKey = row.watch_key): TargetState => ({
  watchKey,
  key: row.key,
  name: row.name,
  userId: row.user_id,
  username: row.username,
  registeredAtMs: Number(row.registered_at),
  baselineAtMs: numberOrNull(row.baseline_at),
  memory: fromText(row.memory),
  revision: row.revision,
  status: shared(row.status),
  statusReason: row.status_reason,
});

export const watchState = (row: StoredWatch, targets: readonly StoredTarget[]): WatchState => ({
  key: row.key,
  id: row.id,
  type: row.type,
  registeredAtMs: Number(row.registered_at),
  paused: row.paused === 1,
  accounts: fromText(row.accounts),
  targets: targets.map((target) => targetState(target, row.key)),
  knownItems: targets.reduce((sum, target) => sum + target.known_items, 0),
});
