/**
 * Returns the history of an item: all verdicts on it, all events about it, and the outcomes of
 * their deliveries.
 */
import { sql } from "kysely";
import type { ChirpEvent, Verdict } from "../../model/event.ts";
import type { ItemHistory } from "../../model/history.ts";
import { deliveryPathsOf } from "./delivery-paths.ts";
import { eventOf } from "../items/insert-events.ts";
import type { Executor } from "../db/statement.ts";
import { marksOf } from "../messages/marked-events.ts";

export async function explainItem(
  db: Executor,
  itemId: string,
  nowMs: number,
): Promise<readonly ItemHistory[]> {
  const items = await itemRows(db).where("i.item_id", "=", itemId).execute();
  const histories = await historiesOf(db, items, nowMs);
  const itemEventIds = new Set(
    items.flatMap(({ event_id: eventId }) => (eventId === null ? [] : [eventId])),
  );
  return withMarks(
    db,
    [...histories, ...(await recurringFacts(db, itemId, itemEventIds, nowMs))].sort(
      (a, b) => a.seenAtMs - b.seenAtMs,
    ),
  );
}

/** Returns the history of one event: the verdict on its item, or the event alone if it has none. */
export async function explainEvent(
  db: Executor,
  eventId: string,
  nowMs: number,
): Promise<readonly ItemHistory[]> {
  const row = await db
    .selectFrom("events")
    .selectAll()
    .where("id", "=", eventId)
    .executeTakeFirst();
  if (row === undefined) return [];
  const itemId = row.subject.slice(row.subject.lastIndexOf("/") + 1);
  const items = await itemRows(db)
    .where("i.item_id", "=", itemId)
    .where("i.event_id", "=", eventId)
    .execute();
  const histories =
    items.length > 0
      ? await historiesOf(db, items, nowMs)
      : [await factOf(db, eventOf(row), itemId, nowMs)];
  return withMarks(db, histories);
}

const itemRows = (db: Executor) =>
  db
    .selectFrom("items as i")
    .innerJoin("targets as t", "t.id", "i.target_id")
    .innerJoin("watches as w", "w.key", "t.watch_key")
    .select([
      "w.id as watch",
      "t.name as target",
      "i.item_id",
      "i.verdict",
      "i.detail",
      "i.occurred_at",
      "i.seen_at",
      "i.event_id",
    ])
    .orderBy("i.seen_at")
    .orderBy("w.position");

type ItemRow = Awaited<ReturnType<ReturnType<typeof itemRows>["execute"]>>[number];

/** Returns each verdict with its event and what became of that event's deliveries. */
async function historiesOf(
  db: Executor,
  items: readonly ItemRow[],
  nowMs: number,
): Promise<readonly ItemHistory[]> {
  const histories: ItemHistory[] = [];
  for (const item of items) {
    const event =
      item.event_id === null
        ? undefined
        : await db
            .selectFrom("events")
            .selectAll()
            .where("id", "=", item.event_id)
            .executeTakeFirst();
    const deliveries =
      item.event_id === null ? [] : await deliveryPathsOf(db, item.event_id, nowMs);
    histories.push({
      watch: item.watch,
      target: item.target,
      itemId: item.item_id,
      verdict: verdictOf(item.verdict, deliveries),
      detail: item.detail,
      occurredAtMs: Number(item.occurred_at),
      seenAtMs: Number(item.seen_at),
      ...(event === undefined ? {} : { event: eventOf(event) }),
      deliveries,
    });
  }
  return histories;
}

async function withMarks(
  db: Executor,
  histories: readonly ItemHistory[],
): Promise<readonly ItemHistory[]> {
  const ids = histories.flatMap(({ event }) => event?.id ?? []);
  const marks = await marksOf(db, "acknowledged", ids);
  return histories.map((history) => {
    const acknowledged = marks.get(history.event?.id ?? "");
    return acknowledged === undefined ? history : { ...history, acknowledged };
  });
}

/**
 * Returns the events about an item that have no verdict, because they report facts that can recur,
 * such as that an account left a list or a value changed.
 */
async function recurringFacts(
  db: Executor,
  itemId: string,
  itemEventIds: ReadonlySet<string>,
  nowMs: number,
): Promise<readonly ItemHistory[]> {
  if (!/^\w+$/.test(itemId)) return [];
  // An event about a member of a list names the list first. One that names only the item, or one
  // for each known list, is found by the index; a scan would read every stored event.
  const own = db.selectFrom("events").selectAll().where("subject", "=", itemId);
  const of = (list: "t.key" | "t.user_id") =>
    db
      .selectFrom("targets as t")
      .innerJoin("events as e", (join) =>
        join.on("e.subject", "=", sql<string>`${sql.ref(list)} || ${`/${itemId}`}`),
      )
      .selectAll("e");
  const found = [
    ...(await own.execute()),
    ...(await of("t.key").execute()),
    ...(await of("t.user_id").execute()),
  ];
  const rows = [...new Map(found.map((row) => [row.id, row])).values()];
  rows.sort((a, b) => Number(a.seq) - Number(b.seq));
  const histories: ItemHistory[] = [];
  for (const row of rows)
    if (!itemEventIds.has(row.id)) histories.push(await factOf(db, eventOf(row), itemId, nowMs));
  return histories;
}

/** Returns the history of an event that has no verdict. */
async function factOf(
  db: Executor,
  event: ChirpEvent,
  itemId: string,
  nowMs: number,
): Promise<ItemHistory> {
  const deliveries = await deliveryPathsOf(db, event.id, nowMs);
  const { occurredAtMs, detectedAtMs: seenAtMs, watch, labels } = event;
  return {
    watch,
    target: labels["target"] ?? "",
    itemId,
    verdict: verdictOf("event", deliveries),
    detail: "",
    occurredAtMs,
    seenAtMs,
    event,
    deliveries,
  };
}

/**
 * Returns the verdict to show. If every delivery of an event ended in the same failure, that
 * failure replaces the verdict: `dead`, `silenced` or `deleted`. A mute concerns a single route, so
 * muted deliveries do not count.
 */
function verdictOf(verdict: Verdict, deliveries: ItemHistory["deliveries"]): Verdict {
  const ways = deliveries.filter(({ state }) => state !== "muted" && state !== "not_enriched");
  if (verdict !== "event" || ways.length === 0) return verdict;
  return (
    (["dead", "silenced", "deleted"] as const).find((fate) =>
      ways.every(({ state }) => state === fate),
    ) ?? verdict
  );
}
