/** Lists what a sink refused last: the failed attempts of messages that it has not taken. */
import type { RefusedAttempt } from "../../model/history.ts";
import { DEAD, OPEN } from "../db/literals.ts";
import type { Executor } from "../db/statement.ts";
import { failedAttemptsOf } from "../outbox/failed-attempts.ts";

/** Attempts are read of so many messages that wait, and of so many that were given up. */
const MAX_MESSAGES = 50;

/** Returns failed attempts of the sink, newest first. */
export async function lastRefusals(
  db: Executor,
  sink: string,
  limit: number,
): Promise<readonly RefusedAttempt[]> {
  const ofSink = db.selectFrom("messages").select("id").where("sink", "=", sink);
  const waiting = await ofSink
    .where("state", "=", OPEN)
    .where("attempts", ">", 0)
    .limit(MAX_MESSAGES)
    .execute();
  const dead = await ofSink
    .where("state", "!=", OPEN)
    .where("state", "=", DEAD)
    .orderBy("done_at", "desc")
    .limit(MAX_MESSAGES)
    .execute();
  const attempts = await failedAttemptsOf(
    db,
    [...waiting, ...dead].map(({ id }) => id),
  );
  return [...attempts.values()]
    .flat()
    .map(({ messageId, atMs, error }) => ({ messageId, atMs, error }))
    .sort((a, b) => b.atMs - a.atMs)
    .slice(0, limit);
}
