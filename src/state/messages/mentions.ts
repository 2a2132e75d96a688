/**
 * Stores whom the messages of a sink mentioned, and when, because a pause between mentions may be
 * configured. The rows are written in the transaction that seals the messages.
 */
import type { NewMessage } from "../../model/outbox.ts";
import { DEAD } from "../db/literals.ts";
import { type Executor, insertRows, listStatement, statement } from "../db/statement.ts";

const insert = insertRows(
  "mentions",
  ["message_id", "mention", "sink", "mentioned_at"],
  (rows) => rows,
);

/** Records mentions in the transaction that seals the messages. */
export async function recordMentions(on: Executor, messages: readonly NewMessage[]): Promise<void> {
  const rows = messages.flatMap(({ id, sink, sealedAtMs, mentions = [] }) =>
    [...new Set(mentions)].map((mention) => ({
      message_id: id,
      mention,
      sink,
      mentioned_at: sealedAtMs,
    })),
  );
  if (rows.length > 0) await insert(on, rows);
}

/**
 * Finds when each mention of a sink was last sent. Mentions in messages that were given up do not
 * count, because they notified nobody. A message that is no longer stored was sent.
 */
const latest = statement<{ sink: string }>()((on, slot) =>
  on
    .selectFrom("mentions as c")
    .leftJoin("messages as m", "m.id", "c.message_id")
    .select((eb) => ["c.mention", eb.fn.max("c.mentioned_at").as("at")])
    .where("c.sink", "=", slot("sink"))
    .where((eb) => eb.or([eb("m.state", "is", null), eb("m.state", "!=", DEAD)]))
    .groupBy("c.mention"),
);

export async function lastMentions(
  db: Executor,
  sink: string,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await latest(db, { sink });
  return new Map(rows.map(({ mention, at }) => [mention, Number(at)]));
}

const ofMessages = listStatement<object, string>()((on, list) =>
  on.selectFrom("mentions").select("message_id").distinct().where("message_id", "in", list),
);

/** Returns the ids of those of the given messages that mention somebody. */
export async function mentioning(
  on: Executor,
  messageIds: readonly string[],
): Promise<ReadonlySet<string>> {
  return new Set((await ofMessages(on, messageIds, {})).rows.map(({ message_id: id }) => id));
}
