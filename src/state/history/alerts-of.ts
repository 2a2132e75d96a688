/**
 * Finds the alerts that an id of an event or a message stands for: an event, the events that joined
 * its deliveries, and the events that its deliveries joined.
 */
import { ESCALATED_EVENT } from "../../model/escalation.ts";
import type { SentAlert } from "../../model/marks.ts";
import { fromText } from "../db/json-text.ts";
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

const escalationsAmong = listStatement<object, string>()((on, list) =>
  on
    .selectFrom("events")
    .select(["id", "body"])
    .where("id", "in", list)
    .where("type", "=", ESCALATED_EVENT),
);

/**
 * Returns the alerts that the escalations among these events are about, by the ids of the
 * escalations. Alerts that the state does not have any more are left out.
 */
export async function escalatedAlerts(
  on: Executor,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const alerts = new Map<string, readonly string[]>();
  for (const { id, body } of (await escalationsAmong(on, eventIds, {})).rows) {
    const { alerts: named = [] } = fromText<{ readonly alerts?: readonly { id: string }[] }>(body);
    const ids = named.map((one) => one.id);
    alerts.set(
      id,
      (await eventRows(on, ids, {})).rows.map((row) => row.id),
    );
  }
  return alerts;
}

/**
 * Returns the alerts that an id of an event or a message stands for, each once. An escalation
 * stands for the alerts that it is about, and for itself if the state has none of them any more.
 */
export async function eventsOf(on: Executor, what: string): Promise<readonly string[]> {
  const ids = await ownEventsOf(on, what);
  const escalated = await escalatedAlerts(on, ids);
  const alerts: string[] = [];
  for (const id of ids) {
    const about = escalated.get(id) ?? [];
    if (about.length === 0) alerts.push(id);
    for (const one of about) alerts.push(...(await ownEventsOf(on, one)));
  }
  return [...new Set(alerts)];
}

async function ownEventsOf(on: Executor, what: string): Promise<readonly string[]> {
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
  const own = (await sinkOfMessage(db, { id: what })).rows[0]?.sink;
  const { rows: places } = await sinksOfEvents(db, ids, {});
  // An escalation is sent to another sink than its alerts, and stands for them at their sinks.
  const only = places.some(({ sink }) => sink === own) ? own : undefined;
  return (await eventRows(db, ids, {})).rows.map((row) => ({
    event: eventOf(row),
    sinks: places
      .filter(({ event_id: id, sink }) => id === row.id && (only === undefined || sink === only))
      .map(({ sink }) => sink),
  }));
}
