/** Finds when the outbox next has something to do. */
import { isNotBehindAlert } from "./alert-ahead.ts";
import { isNotBehindMessage } from "./group-timers.ts";
import { type Executor, statement } from "../db/statement.ts";
import { OPEN, SINGLE, WAITING } from "../db/literals.ts";

interface DueTimes {
  readonly single: number | null;
  readonly group: number | null;
  readonly message: number | null;
}

/** Reads all times in one statement, the only one of a worker that has nothing to do. */
const nextTimes = statement<{ sink: string }>()((on, slot) =>
  on
    .selectNoFrom((eb) => [
      eb
        .selectFrom("deliveries as d")
        .select("d.due_at")
        .where("d.state", "=", WAITING)
        .where("d.grouped", "=", SINGLE)
        .where("d.sink", "=", slot("sink"))
        .where(isNotBehindAlert)
        .orderBy("d.due_at")
        .limit(1)
        .as("single"),
      eb
        .selectFrom("groups as g")
        .select("g.due_at")
        .where("g.sink", "=", slot("sink"))
        .where("g.due_at", "is not", null)
        .where(isNotBehindMessage)
        .orderBy("g.due_at")
        .limit(1)
        .as("group"),
      eb
        .selectFrom("messages")
        .select("next_attempt_at")
        .where("state", "=", OPEN)
        .where("sink", "=", slot("sink"))
        .orderBy("next_attempt_at")
        .limit(1)
        .as("message"),
    ])
    .$castTo<DueTimes>(),
);

/**
 * Returns when the next work of these sinks is due; null if none waits. Work under way counts as
 * due in the past until it is recorded.
 */
export async function nextDueAt(db: Executor, sinks: readonly string[]): Promise<number | null> {
  const times: number[] = [];
  for (const sink of sinks)
    for (const { single, group, message } of (await nextTimes(db, { sink })).rows)
      for (const time of [single, group, message]) if (time !== null) times.push(Number(time));
  return times.length === 0 ? null : Math.min(...times);
}
