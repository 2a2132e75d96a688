/**
 * Holds waiting deliveries back for silences, counts them, and makes them due again if an operator
 * sends them.
 */
import type { SilencedCount, SilencedDelivery, SilencedSelection } from "../../model/silence.ts";
import { recordAudit } from "../db/audit.ts";
import { refreshGroupsOf } from "./group-timers.ts";
import { SILENCED, WAITING } from "../db/literals.ts";
import { countSnoozed } from "./snoozed-deliveries.ts";
import { type Executor, listStatement, statement, transact } from "../db/statement.ts";

/** Returns the text that `explain` shows for a delivery that a silence holds back. */
export const silencedDetail = (silenceId: string): string => `silence ${silenceId}`;

const holdBack = listStatement<{ silenceId: string; detail: string }, number>()((on, list, slot) =>
  on
    .updateTable("deliveries")
    .set({ state: "silenced", silenced_by: slot("silenceId"), detail: slot("detail") })
    .where("id", "in", list)
    .where("state", "=", WAITING)
    .returning(["sink", "group_key", "grouped"]),
);

export function silenceDeliveries(
  db: Executor,
  silenced: readonly SilencedDelivery[],
): Promise<void> {
  return transact(db, async (on) => {
    const ids = new Map<string, number[]>();
    for (const { deliveryId, silenceId } of silenced)
      ids.set(silenceId, [...(ids.get(silenceId) ?? []), Number(deliveryId)]);
    for (const [silenceId, own] of ids) {
      const { rows } = await holdBack(on, own, { silenceId, detail: silencedDetail(silenceId) });
      await refreshGroupsOf(on, rows);
    }
  });
}

const countBySilence = statement<object>()((on) =>
  on
    .selectFrom("deliveries")
    .select((eb) => ["silenced_by", "sink", eb.fn.countAll<number>().as("count")])
    .where("state", "=", SILENCED)
    .groupBy(["silenced_by", "sink"])
    .orderBy("sink"),
);

export async function countSilenced(db: Executor): Promise<readonly SilencedCount[]> {
  const { rows } = await countBySilence(db, {});
  const silenced = rows.map(({ silenced_by: silenceId, sink, count }) => ({
    silenceId: silenceId ?? "",
    sink,
    alerts: Number(count),
  }));
  return [...silenced, ...(await countSnoozed(db))];
}

export function resendSilenced(
  db: Executor,
  { sinks, silenceId }: SilencedSelection,
  nowMs: number,
  by: string,
): Promise<number> {
  return transact(db, async (on) => {
    let silenced = on
      .updateTable("deliveries")
      .set({
        state: "waiting",
        detail: "",
        not_before: nowMs,
        held_by: null,
        due_at: nowMs,
        replayed_at: nowMs,
      })
      .where("state", "=", SILENCED)
      // Databases refuse an empty list in SQL, and no sink has an empty name.
      .where("sink", "in", sinks.length === 0 ? [""] : [...sinks]);
    if (silenceId !== undefined) silenced = silenced.where("silenced_by", "=", silenceId);
    const rows = await silenced.returning(["sink", "group_key", "grouped"]).execute();
    await refreshGroupsOf(on, rows);
    if (rows.length > 0)
      await recordAudit(on, nowMs, "replay silenced", {
        sinks: [...sinks],
        silence: silenceId ?? null,
        alerts: rows.length,
        by,
      });
    return rows.length;
  });
}
