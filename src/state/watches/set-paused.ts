/** Pauses and resumes a watch. */
import type { PauseChange, PausedBefore } from "../../model/watch-store.ts";
import { recordAudit } from "../db/audit.ts";
import { markReturned } from "./absence.ts";
import { type Executor, transact } from "../db/statement.ts";

export function setPaused(
  db: Executor,
  watchId: string,
  paused: boolean,
  { by, ...change }: PauseChange,
): Promise<PausedBefore | undefined> {
  return transact(db, async (on) => {
    const row = await on
      .selectFrom("watches")
      .selectAll()
      .where("id", "=", watchId)
      .where("removed_at", "is", null)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const awaySinceMs = row.away_at === null ? null : Number(row.away_at);
    const before = { wasPaused: row.paused === 1, awaySinceMs };
    if (before.wasPaused === paused) return before;
    const { atMs, isFromNow = false } = change;
    await recordAudit(on, atMs, paused ? "pause" : "resume", {
      watch: watchId,
      by: by ?? null,
      ...(isFromNow ? { from_now: true } : {}),
    });
    const isAway = paused || row.enabled === 0;
    await on
      .updateTable("watches")
      .set({ paused: paused ? 1 : 0, away_at: isAway ? (awaySinceMs ?? change.atMs) : null })
      .where("key", "=", row.key)
      .execute();
    if (isAway || awaySinceMs === null) return before;
    const targets = await on
      .selectFrom("targets")
      .selectAll()
      .where("watch_key", "=", row.key)
      .where("removed_at", "is", null)
      .execute();
    for (const target of targets) {
      const { memory, registered_at, revision } = markReturned(target, {
        fromMs: awaySinceMs,
        ...change,
      });
      await on
        .updateTable("targets")
        .set({ memory, registered_at, revision })
        .where("id", "=", target.id)
        .execute();
    }
    return before;
  });
}
