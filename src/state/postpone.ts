/** Pacing of what waits: put off, woken, counted. */
import { refreshGroup } from "./group-timers.ts";
import { type Executor, listStatement, statement, transact } from "./statement.ts";
import { OPEN, WAITING } from "./literals.ts";

const putOff = listStatement<{ until: number }, number>()((on, list, slot) =>
  on
    .updateTable("deliveries")
    .set({ due_at: slot("until") })
    .where("id", "in", list)
    .where("state", "=", WAITING)
    .returning(["sink", "group_key", "grouped"]),
);

/** Deliveries sealed in the meantime are left alone. */
export function postpone(db: Executor, deliveryIds: readonly string[], untilMs: number): Promise<void> {
  return transact(db, async (on) => {
    const { rows } = await putOff(on, deliveryIds.map(Number), { until: untilMs });
    const groups = new Map(rows.filter((row) => row.grouped === 1).map((row) => [`${row.sink}\n${row.group_key}`, row]));
    for (const group of groups.values()) await refreshGroup(on, group.sink, group.group_key, null);
  });
}

const sealedTimes = statement<{ throttleKey: string; since: number }>()((on, slot) =>
  on
    .selectFrom("messages")
    .select("sealed_at")
    .where("throttle_key", "=", slot("throttleKey"))
    .where("throttle_key", "is not", null)
    .where("sealed_at", ">=", slot("since"))
    .orderBy("sealed_at"),
);

export const sealedSince = async (db: Executor, throttleKey: string, sinceMs: number): Promise<readonly number[]> =>
  (await sealedTimes(db, { throttleKey, since: sinceMs })).rows.map((row) => Number(row.sealed_at));

/** Makes waiting messages of a sink due at once. */
export async function wakeSink(db: Executor, sink: string, nowMs: number): Promise<void> {
  await db
    .updateTable("messages")
    .set({ next_attempt_at: nowMs })
    .where("state", "=", OPEN)
    .where("sink", "=", sink)
    .where("next_attempt_at", ">", nowMs)
    .execute();
}
