/**
 * Applies the changes of a commit to the rows of targets. Each row is read once, its revision is
 * checked, and it is written only if it changes.
 */
import type { TargetChange } from "../../model/poll-store.ts";
import type { TargetRef, TargetStatus } from "../../model/watch-store.ts";
import { toText } from "../db/json-text.ts";
import { type Executor, statement } from "../db/statement.ts";
import { findTarget } from "./target-rows.ts";
import type { TargetRow } from "./watch-state.ts";

interface TargetUpdate {
  readonly id: number;
  readonly memory: string;
  readonly baselineAt: number | null;
  readonly status: TargetStatus;
  readonly reason: string;
  readonly username: string | null;
}

const updateTarget = statement<TargetUpdate>()((on, slot) =>
  on
    .updateTable("targets")
    .set((eb) => ({
      memory: slot("memory"),
      baseline_at: slot("baselineAt"),
      status: slot("status"),
      status_reason: slot("reason"),
      username: slot("username"),
      revision: eb("revision", "+", 1),
    }))
    .where("id", "=", slot("id")),
);

export class TargetRevisions {
  readonly #on: Executor;
  readonly #rows = new Map<string, TargetRow | undefined>();

  constructor(on: Executor) {
    this.#on = on;
  }

  /** Returns the row of a target; undefined if it was removed or merged into another. */
  async find(ref: TargetRef): Promise<TargetRow | undefined> {
    const name = `${ref.watchKey}\n${ref.targetKey}`;
    if (!this.#rows.has(name)) {
      const row = await findTarget(this.#on, ref.watchKey, ref.targetKey);
      this.#rows.set(name, row?.merged_into === null ? row : undefined);
    }
    return this.#rows.get(name);
  }

  /** Applies a change. Returns false if the row was changed since it was read. */
  async apply(change: TargetChange): Promise<boolean> {
    const row = await this.find(change);
    if (row === undefined || row.revision !== change.expectedRevision) return false;
    const next: TargetUpdate = {
      id: row.id,
      memory: change.memory === undefined ? row.memory : toText(change.memory),
      baselineAt: change.baselineAtMs ?? row.baseline_at,
      status: change.status ?? row.status,
      reason: change.statusReason ?? row.status_reason,
      username: change.username ?? row.username,
    };
    if (isChanged(row, next)) await updateTarget(this.#on, next);
    return true;
  }
}

const isChanged = (row: TargetRow, next: TargetUpdate): boolean =>
  row.memory !== next.memory ||
  row.baseline_at !== next.baselineAt ||
  row.status !== next.status ||
  row.status_reason !== next.reason ||
  row.username !== next.username;
