/** Makes everything that waits for a sink due at once, in the order in which it was sealed. */
import { OPEN } from "../db/literals.ts";
import type { Executor } from "../db/statement.ts";

export async function wakeSink(db: Executor, sink: string, nowMs: number): Promise<void> {
  await db
    .updateTable("messages")
    .set((eb) => ({ next_attempt_at: eb.ref("sealed_at") }))
    .where("state", "=", OPEN)
    .where("sink", "=", sink)
    .where("next_attempt_at", ">", nowMs)
    // A mute still applies.
    .where("held_by", "is", null)
    .execute();
}
