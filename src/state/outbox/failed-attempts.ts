/** Stores failed attempts by message. `explain` reads them. */
import type { DeliveryResult } from "../../model/outbox.ts";
import { type Executor, listStatement, statement } from "../db/statement.ts";

export interface StoredAttempt {
  readonly messageId: string;
  readonly atMs: number;
  readonly error: string;
}

/**
 * The maximum number of failed attempts that are kept for a message; older ones are deleted. There
 * may be many, because a receiver may ask for a retry every second for a whole day.
 */
const MAX_KEPT = 50;

const insertOne = statement<StoredAttempt>()((on, slot) =>
  on
    .insertInto("attempts")
    .values({ message_id: slot("messageId"), at: slot("atMs"), error: slot("error") }),
);

const forgetOlder = statement<{ messageId: string; kept: number; one: number }>()((on, slot) =>
  on
    .deleteFrom("attempts")
    .where("message_id", "=", slot("messageId"))
    .where("at", "<", (eb) =>
      eb
        .selectFrom("attempts as a")
        .select("a.at")
        .where("a.message_id", "=", slot("messageId"))
        .orderBy("a.at", "desc")
        .limit(slot("one"))
        .offset(slot("kept")),
    ),
);

export async function addFailedAttempt(on: Executor, attempt: StoredAttempt): Promise<void> {
  await insertOne(on, attempt);
  await forgetOlder(on, { messageId: attempt.messageId, kept: MAX_KEPT - 1, one: 1 });
}

const findOne = statement<{ messageId: string; atMs: number; nextAttemptAtMs: number }>()(
  (on, slot) =>
    on
      .selectFrom("attempts as a")
      .innerJoin("messages as m", "m.id", "a.message_id")
      .select("m.id")
      .where("a.message_id", "=", slot("messageId"))
      .where("a.at", "=", slot("atMs"))
      .where("m.next_attempt_at", "=", slot("nextAttemptAtMs")),
);

/**
 * Whether a result was recorded already. If the answer to a successful COMMIT is lost, the caller
 * records the result a second time.
 */
export const isRecorded = async (
  on: Executor,
  result: DeliveryResult & { readonly kind: "retry" },
): Promise<boolean> => (await findOne(on, result)).rows.length > 0;

const ofMessages = listStatement<object, string>()((on, list) =>
  on.selectFrom("attempts").selectAll().where("message_id", "in", list).orderBy("at"),
);

/** Returns failed attempts by message, oldest first. */
export async function failedAttemptsOf(
  db: Executor,
  messageIds: readonly string[],
): Promise<ReadonlyMap<string, readonly StoredAttempt[]>> {
  const found = new Map<string, StoredAttempt[]>();
  if (messageIds.length === 0) return found;
  for (const { message_id: messageId, at, error } of (
    await ofMessages(db, [...new Set(messageIds)], {})
  ).rows)
    found.set(messageId, [...(found.get(messageId) ?? []), { messageId, atMs: Number(at), error }]);
  return found;
}
