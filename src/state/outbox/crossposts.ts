/** Stores crossposts: finds those that are due, and records what became of them. */
import type {
  CrosspostExpiry,
  CrosspostOutlook,
  CrosspostResult,
  DueCrosspost,
} from "../../model/crosspost.ts";
import { NOT_PUBLISHED, WAITING } from "../db/literals.ts";
import { type Executor, statement } from "../db/statement.ts";

export async function dueCrosspost(
  db: Executor,
  sink: string,
  nowMs: number,
): Promise<DueCrosspost | undefined> {
  const row = await db
    .selectFrom("crossposts")
    .select(["message_id", "ref", "attempts", "created_at"])
    .where("state", "=", WAITING)
    .where("sink", "=", sink)
    .where("next_attempt_at", "<=", nowMs)
    .orderBy("created_at", "desc")
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    messageId: row.message_id,
    ref: row.ref,
    attempts: row.attempts,
    createdAtMs: Number(row.created_at),
  };
}

/** Records a result. A crosspost that is already done is not changed. */
export async function recordCrosspost(db: Executor, result: CrosspostResult): Promise<void> {
  const isRetry = result.kind === "retry";
  const step = isRetry && !result.countAttempt ? 0 : 1;
  await db
    .updateTable("crossposts")
    .set((eb) => ({
      state: isRetry ? ("waiting" as const) : result.kind,
      attempts: eb("attempts", "+", step),
      error: result.kind === "published" ? "" : result.error,
      ...(isRetry ? { next_attempt_at: result.nextAttemptAtMs } : { done_at: result.atMs }),
    }))
    .where("message_id", "=", result.messageId)
    .where("state", "=", WAITING)
    .execute();
}

export async function expireCrossposts(
  db: Executor,
  sink: string,
  expiry: CrosspostExpiry,
): Promise<number> {
  const { createdUntilMs, nowMs, reason } = expiry;
  const { numUpdatedRows } = await db
    .updateTable("crossposts")
    .set((eb) => ({
      state: "not_published" as const,
      done_at: nowMs,
      error: eb.case().when("error", "=", "").then(reason).else(eb.ref("error")).end(),
    }))
    .where("state", "=", WAITING)
    .where("sink", "=", sink)
    .where("created_at", "<=", createdUntilMs)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

interface OfSink {
  readonly sink: string;
}

const waitingTimes = statement<OfSink>()((on, slot) =>
  on
    .selectFrom("crossposts")
    .select((eb) => [
      eb.fn.min("next_attempt_at").as("due_at"),
      eb.fn.min("created_at").as("oldest_at"),
    ])
    .where("state", "=", WAITING)
    .where("sink", "=", slot("sink")),
);
const missedOf = (on: Executor, sink: string) =>
  on.selectFrom("crossposts").where("state", "=", NOT_PUBLISHED).where("sink", "=", sink);
const lastReport = statement<OfSink>()((on, slot) =>
  missedOf(on, slot("sink")).select((eb) => eb.fn.max("reported_at").as("at")),
);
const countUnreported = statement<OfSink>()((on, slot) =>
  missedOf(on, slot("sink"))
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("reported_at", "is", null),
);
const lastUnreported = statement<OfSink>()((on, slot) =>
  missedOf(on, slot("sink"))
    .select("error")
    .where("reported_at", "is", null)
    .orderBy("done_at", "desc")
    .limit(1),
);

export async function crosspostOutlook(db: Executor, sink: string): Promise<CrosspostOutlook> {
  const [waiting] = (await waitingTimes(db, { sink })).rows;
  const [reported] = (await lastReport(db, { sink })).rows;
  const [count] = (await countUnreported(db, { sink })).rows;
  const [last] = (await lastUnreported(db, { sink })).rows;
  return {
    dueAtMs: numberOrNull(waiting?.due_at),
    oldestAtMs: numberOrNull(waiting?.oldest_at),
    unreported: Number(count?.count ?? 0),
    reason: last?.error ?? "",
    reportedAtMs: numberOrNull(reported?.at),
  };
}

const numberOrNull = (value: number | null | undefined): number | null =>
  value === null || value === undefined ? null : Number(value);

export async function markCrosspostsReported(
  db: Executor,
  sink: string,
  nowMs: number,
): Promise<void> {
  await db
    .updateTable("crossposts")
    .set({ reported_at: nowMs })
    .where("state", "=", NOT_PUBLISHED)
    .where("sink", "=", sink)
    .where("reported_at", "is", null)
    .execute();
}
