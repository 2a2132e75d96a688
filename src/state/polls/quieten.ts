/**
 * Keeps alerts from being sent twice after a restore. Everything that waited in the backup is
 * muted, because it was most likely sent since. Every target is marked as not polled between the
 * backup and the restore.
 */
import { markReturned } from "../watches/absence.ts";
import { recordAudit } from "../db/audit.ts";
import { OPEN, WAITING } from "../db/literals.ts";
import { type Executor, transact } from "../db/statement.ts";

export interface QuietSpan {
  /** The time of the last poll, request or event in the backup. */
  readonly fromMs: number;
  readonly atMs: number;
}

/** Mutes everything that waits. Returns the number of alerts that were muted. */
export function quieten(db: Executor, span: QuietSpan): Promise<number> {
  return transact(db, async (on) => {
    await markTargets(on, span);
    const muted = await muteOutbox(on, span.atMs);
    await recordAudit(on, span.atMs, "quiet restore", { from: span.fromMs, muted });
    return muted;
  });
}

async function markTargets(on: Executor, { fromMs, atMs }: QuietSpan): Promise<void> {
  const rows = await on.selectFrom("targets").selectAll().where("removed_at", "is", null).execute();
  for (const row of rows) {
    const { memory, registered_at, revision } = markReturned(row, {
      fromMs,
      atMs,
      isFromNow: true,
    });
    await on
      .updateTable("targets")
      .set({ memory, registered_at, revision })
      .where("id", "=", row.id)
      .execute();
  }
}

const MUTED = { state: "muted", detail: "the state was restored with --quiet" } as const;

async function muteOutbox(on: Executor, atMs: number): Promise<number> {
  const open = on.selectFrom("messages").select("id").where("state", "=", OPEN);
  const sealed = await on
    .updateTable("deliveries")
    .set({ ...MUTED, message_id: null })
    .where("message_id", "in", open)
    .executeTakeFirst();
  await on.deleteFrom("messages").where("state", "=", OPEN).execute();
  const waiting = await on
    .updateTable("deliveries")
    .set(MUTED)
    .where("state", "=", WAITING)
    .executeTakeFirst();
  await on.updateTable("groups").set({ due_at: null }).where("due_at", "is not", null).execute();
  const unrouted = await on
    .updateTable("enrichments")
    .set({ state: "muted", error: MUTED.detail })
    .where("state", "=", WAITING)
    .executeTakeFirst();
  await on
    .updateTable("crossposts")
    .set({ state: "not_published", error: MUTED.detail, done_at: atMs, reported_at: atMs })
    .where("state", "=", WAITING)
    .execute();
  return Number(sealed.numUpdatedRows + waiting.numUpdatedRows + unrouted.numUpdatedRows);
}
