/** Makes the open messages of a sink due now, in the order in which they were sealed. */
import { OPEN } from "../db/literals.ts";
import type { Executor } from "../db/statement.ts";

export async function wakeSink(db: Executor, sink: string, nowMs: number): Promise<void> {
  await db
    .updateTable("messages")
    .set((eb) => ({ next_attempt_at: eb.ref("sealed_at") }))
    .where("state", "=", OPEN)
    .where("sink", "=", sink)
    .where("next_attempt_at", ">", nowMs)
    // Messages that a mute holds back still wait for its end.
    .where("held_by", "is", null)
    .execute();
}
