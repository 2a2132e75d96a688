/** What became of attempts. */
import type { DeliveryResult } from "../model/outbox.ts";
import { type Executor, statement, transact } from "./statement.ts";
import type { MessagesTable } from "./tables.ts";
import { OPEN } from "./literals.ts";

interface Outcome {
  readonly id: string;
  readonly state: MessagesTable["state"];
  readonly at: number;
  readonly step: number;
  readonly nextAttemptAt: number;
  readonly doneAt: number | null;
  readonly ref: string | null;
  readonly error: string;
}

const write = statement<Outcome>()((on, slot) =>
  on
    .updateTable("messages")
    .set((eb) => ({
      state: slot("state"),
      attempts: eb("attempts", "+", slot("step")),
      first_attempt_at: eb.fn.coalesce("first_attempt_at", eb.val(slot("at"))),
      next_attempt_at: slot("nextAttemptAt"),
      done_at: slot("doneAt"),
      ref: slot("ref"),
      error: slot("error"),
    }))
    .where("id", "=", slot("id"))
    .where("state", "=", OPEN),
);

/** All results in one transaction. A message that is done already stays as it is. */
export function record(db: Executor, results: readonly DeliveryResult[]): Promise<void> {
  return transact(db, async (on) => {
    for (const result of results) await write(on, outcomeOf(result));
  });
}

function outcomeOf(result: DeliveryResult): Outcome {
  const { messageId: id, atMs: at } = result;
  if (result.kind === "sent") return { id, state: "sent", at, step: 1, nextAttemptAt: at, doneAt: at, ref: result.ref ?? null, error: "" };
  if (result.kind === "dead") return { id, state: "dead", at, step: 1, nextAttemptAt: at, doneAt: at, ref: null, error: result.error };
  const step = result.countAttempt ? 1 : 0;
  return { id, state: "open", at, step, nextAttemptAt: result.nextAttemptAtMs, doneAt: null, ref: null, error: result.error };
}
