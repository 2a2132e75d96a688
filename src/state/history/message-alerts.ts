/** Returns the sink of each message, and the alerts in it. */
import type { MessageAlerts } from "../../model/history.ts";
import { type Executor, listStatement } from "../db/statement.ts";

const messages = listStatement<object, string>()((on, list) =>
  on.selectFrom("messages").select(["id", "sink"]).where("id", "in", list),
);

const members = listStatement<object, string>()((on, list) =>
  on
    .selectFrom("deliveries as d")
    .innerJoin("events as e", "e.id", "d.event_id")
    .select(["d.message_id", "e.id", "e.watch"])
    .where("d.message_id", "in", list)
    .where("d.message_id", "is not", null)
    .orderBy("d.id"),
);

export async function alertsOfMessages(
  db: Executor,
  messageIds: readonly string[],
): Promise<readonly MessageAlerts[]> {
  const alerts = new Map<string | null, { readonly id: string; readonly watch: string }[]>();
  for (const { message_id: messageId, id, watch } of (await members(db, messageIds, {})).rows) {
    const own = alerts.get(messageId) ?? [];
    own.push({ id, watch });
    alerts.set(messageId, own);
  }
  return (await messages(db, messageIds, {})).rows.map(({ id, sink }) => ({
    messageId: id,
    sink,
    alerts: alerts.get(id) ?? [],
  }));
}
