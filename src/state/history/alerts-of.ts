/**
 * Finds the alerts that an id of an event or a message stands for: an event, the events that joined
 * its deliveries, and the events that its deliveries joined.
 */
import type { SentAlert } from "../../model/marks.ts";
import { eventOf } from "../items/insert-events.ts";
import { type Executor, listStatement, statement } from "../db/statement.ts";

export const eventRows = listStatement<object, string>()((on, list) =>
  on.selectFrom("events").selectAll().where("id", "in", list).orderBy("seq"),
);

const eventById = statement<{ id: string }>()((on, slot) =>
  on.selectFrom("events").select("id").where("id", "=", slot("id")),
);

const ownDeliveries = statement<{ id: string }>()((on, slot) =>
  on
    .selectFrom("deliveries")
    .select(["id", "joined_id", "event_id"])
    .where("event_id", "=", slot("id"))
    .union(
      on
        .selectFrom("deliveries")
        .select(["id", "joined_id", "event_id"])
        .where("message_id", "=", slot("id"))
        .where("message_id", "is not", null),
    ),
);

/** Finds the events of these deliveries and of the deliveries that joined them. */
const sentTogether = listStatement<object, number>()((on, list) =>
  on
    .selectFrom("deliveries")
    .select("event_id")
    .where("id", "in", list)
    .union(
      on
        .selectFrom("deliveries")
        .select("event_id")
        .where("joined_id", "in", list)
        .where("joined_id", "is not", null),
    ),
);

/** Returns the events that an id of an event or a message stands for, each once. */
export async function eventsOf(on: Executor, what: string): Promise<readonly string[]> {
  const event = (await eventById(on, { id: what })).rows[0];
  const { rows: own } = await ownDeliveries(on, { id: what });
  const roots = [...new Set(own.map(({ id, joined_id: joined }) => Number(joined ?? id)))];
  const { rows } = await sentTogether(on, roots, {});
  const ids = [event?.id, ...own.map(({ event_id: id }) => id), ...rows.map((row) => row.event_id)];
  return [...new Set(ids.flatMap((id) => id ?? []))];
}

const sinkOfMessage = statement<{ id: string }>()((on, slot) =>
  on.selectFrom("messages").select("sink").where("id", "=", slot("id")),
);

const sinksOfEvents = listStatement<object, string>()((on, list) =>
  on
    .selectFrom("deliveries")
    .select(["event_id", "sink"])
    .where("event_id", "in", list)
    .orderBy("id"),
);

export async function sentAlertsOf(db: Executor, what: string): Promise<readonly SentAlert[]> {
  const ids = await eventsOf(db, what);
  if (ids.length === 0) return [];
  const only = (await sinkOfMessage(db, { id: what })).rows[0]?.sink;
  const { rows: places } = await sinksOfEvents(db, ids, {});
  return (await eventRows(db, ids, {})).rows.map((row) => ({
    event: eventOf(row),
    sinks: places
      .filter(({ event_id: id, sink }) => id === row.id && (only === undefined || sink === only))
      .map(({ sink }) => sink),
  }));
}
