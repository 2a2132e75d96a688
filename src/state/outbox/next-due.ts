/** When the outbox has something to do next. */
import { isNotBehindMessage } from "./group-timers.ts";
import { type Executor, statement } from "../db/statement.ts";
import { OPEN, SINGLE, WAITING } from "../db/literals.ts";

const nextSingle = statement<{ sink: string }>()((on, slot) =>
  on
    .selectFrom("deliveries")
    .select("due_at")
    .where("state", "=", WAITING)
    .where("grouped", "=", SINGLE)
    .where("sink", "=", slot("sink"))
    .orderBy("due_at")
    .limit(1),
);

const nextGroup = statement<{ sink: string }>()((on, slot) =>
  on
    .selectFrom("groups as g")
    .select("g.due_at")
    .where("g.sink", "=", slot("sink"))
    .where("g.due_at", "is not", null)
    .where(isNotBehindMessage)
    .orderBy("g.due_at")
    .limit(1),
);

const nextMessage = statement<{ sink: string }>()((on, slot) =>
  on
    .selectFrom("messages")
    .select("next_attempt_at as due_at")
    .where("state", "=", OPEN)
    .where("sink", "=", slot("sink"))
    .orderBy("next_attempt_at")
    .limit(1),
);

/** Null when nothing of these sinks waits. Work under way is due in the past until it is recorded. */
export async function nextDueAt(db: Executor, sinks: readonly string[]): Promise<number | null> {
  let earliest: number | null = null;
  for (const sink of sinks) {
    for (const next of [nextSingle, nextGroup, nextMessage]) {
      const dueAt = (await next(db, { sink })).rows[0]?.due_at ?? null;
      if (dueAt !== null && (earliest === null || dueAt < earliest)) earliest = dueAt;
    }
  }
  return earliest;
}
