/** The path of an item: every verdict, every event about it, and what became of them. */
import type { ItemHistory } from "../model/history.ts";
import { eventOf } from "./insert-events.ts";
import type { Executor } from "./statement.ts";

export async function explainItem(db: Executor, itemId: string, nowMs: number): Promise<readonly ItemHistory[]> {
  const items = await db
    .selectFrom("items as i")
    .innerJoin("targets as t", "t.id", "i.target_id")
    .innerJoin("watches as w", "w.key", "t.watch_key")
    .select(["w.id as watch", "t.name as target", "i.verdict", "i.detail", "i.occurred_at", "i.seen_at", "i.event_id"])
    .where("i.item_id", "=", itemId)
    .orderBy("i.seen_at")
    .orderBy("w.position")
    .execute();
  const histories: ItemHistory[] = [];
  for (const item of items) {
    const event =
      item.event_id === null ? undefined : await db.selectFrom("events").selectAll().where("id", "=", item.event_id).executeTakeFirst();
    histories.push({
      watch: item.watch,
      target: item.target,
      itemId,
      verdict: item.verdict,
      detail: item.detail,
      occurredAtMs: Number(item.occurred_at),
      seenAtMs: Number(item.seen_at),
      ...(event === undefined ? {} : { event: eventOf(event) }),
      deliveries: item.event_id === null ? [] : await deliveriesOf(db, item.event_id, nowMs),
    });
  }
  const told = new Set(items.flatMap(({ event_id: eventId }) => (eventId === null ? [] : [eventId])));
  return [...histories, ...(await recurringFacts(db, itemId, told, nowMs))].sort((a, b) => a.seenAtMs - b.seenAtMs);
}

/** What can happen to an item again and again has no verdict, only events: who left a list, what crossed or changed. */
async function recurringFacts(db: Executor, itemId: string, told: ReadonlySet<string>, nowMs: number): Promise<readonly ItemHistory[]> {
  if (!/^\w+$/.test(itemId)) return [];
  const rows = await db
    .selectFrom("events")
    .selectAll()
    .where((eb) => eb.or([eb("subject", "=", itemId), eb("subject", "like", `%/${itemId}`)]))
    .orderBy("seq")
    .execute();
  const histories: ItemHistory[] = [];
  for (const row of rows) {
    if (told.has(row.id)) continue;
    const event = eventOf(row);
    const deliveries = await deliveriesOf(db, row.id, nowMs);
    const { occurredAtMs, detectedAtMs: seenAtMs, watch, labels } = event;
    histories.push({
      watch,
      target: labels["target"] ?? "",
      itemId,
      verdict: "event",
      detail: "",
      occurredAtMs,
      seenAtMs,
      event,
      deliveries,
    });
  }
  return histories;
}

async function deliveriesOf(db: Executor, eventId: string, nowMs: number): Promise<ItemHistory["deliveries"]> {
  const rows = await db
    .selectFrom("deliveries as d")
    .leftJoin("deliveries as j", "j.id", "d.joined_id")
    .leftJoin("messages as m", (join) => join.onRef("m.id", "=", (eb) => eb.fn.coalesce("d.message_id", "j.message_id")))
    .select(["d.id", "d.sink", "d.state", "d.detail", "d.not_before", "d.due_at"])
    .select(["m.id as message_id", "m.state as message_state", "m.attempts", "m.done_at", "m.ref", "m.error"])
    .where("d.event_id", "=", eventId)
    .orderBy("d.id")
    .execute();
  return rows.map((row) => ({
    sink: row.sink,
    state: deliveryState(row, nowMs),
    messageId: row.message_id,
    attempts: row.attempts ?? 0,
    sentAtMs: row.message_state === "sent" ? row.done_at : null,
    ref: row.ref,
    detail: [row.detail, row.error ?? ""].filter((text) => text !== "").join("; "),
  }));
}

/** waiting, held, sealed, sent, dead, muted, duplicate; a merged delivery fares as the one it joined. */
function deliveryState(row: { state: string; message_state: string | null; not_before: number; due_at: number }, nowMs: number): string {
  if (row.state === "muted" || row.state === "duplicate") return row.state;
  if (row.message_state === "sent" || row.message_state === "dead") return row.message_state;
  if (row.message_state === "open") return "sealed";
  if (row.state === "sealed") return "sent"; // its message was pruned: only done ones are
  return row.not_before > nowMs ? "held" : "waiting";
}
