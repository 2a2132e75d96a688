/** Describes the outcomes of an event's deliveries, as `explain` and lists of events show them. */
import type { ChirpEvent } from "../../model/event.ts";
import type { DeliveryHistory, DeliveryOutcome, EventRecord } from "../../model/history.ts";
import { waitOf } from "../outbox/waiting.ts";
import { ENRICHED } from "../db/literals.ts";
import { type Executor, listStatement } from "../db/statement.ts";
import { marksOf } from "../messages/marked-events.ts";

const deliveries = listStatement<object, string>()((on, list) =>
  on
    .selectFrom("deliveries as d")
    .leftJoin("deliveries as j", "j.id", "d.joined_id")
    .leftJoin("messages as m", (join) =>
      join.onRef("m.id", "=", (eb) => eb.fn.coalesce("d.message_id", "j.message_id")),
    )
    .select([
      "d.event_id",
      "d.sink",
      "j.state as joined_state",
      "d.state",
      "d.detail",
      "d.not_before",
      "d.held_by",
      "d.due_at",
    ])
    .select(["d.group_key", "m.next_attempt_at", "m.held_by as message_held_by"])
    .leftJoin("messages as parent", "parent.id", "m.parent_id")
    .select("parent.state as parent_state")
    .leftJoin("crossposts as c", "c.message_id", "m.id")
    .select([
      "m.id as message_id",
      "m.state as message_state",
      "m.attempts",
      "m.done_at",
      "m.ref",
      "m.error",
      "m.cause",
    ])
    .select([
      "c.state as crosspost",
      "c.attempts as crosspost_attempts",
      "c.done_at as crosspost_at",
      "c.error as crosspost_error",
    ])
    .where("d.event_id", "in", list)
    .orderBy("d.id"),
);

const enrichments = listStatement<object, string>()((on, list) =>
  on
    .selectFrom("enrichments")
    .select(["event_id", "state", "next_at", "attempts", "error"])
    .where("event_id", "in", list)
    .where("state", "!=", ENRICHED),
);

/**
 * Returns an entry for each event that waits for its enrichment, was sent without it, or was
 * dropped before it.
 */
async function unenriched(
  db: Executor,
  eventIds: readonly string[],
  nowMs: number,
): Promise<readonly (readonly [string, DeliveryHistory])[]> {
  const { rows } = await enrichments(db, eventIds, {});
  return rows.map((row) => {
    const { attempts, error, next_at: nextAt } = row;
    const untilMs = Number(nextAt) > nowMs ? Number(nextAt) : null;
    const isWaiting = row.state === "waiting";
    const state = isWaiting ? "waiting" : row.state === "muted" ? "muted" : "not_enriched";
    const wait = isWaiting ? ({ cause: "enriching", untilMs, about: error } as const) : null;
    return [
      row.event_id,
      {
        sink: "enrichment",
        state,
        messageId: null,
        attempts,
        sentAtMs: null,
        ref: null,
        detail: error,
        wait,
      },
    ];
  });
}

/**
 * Returns deliveries by event id, in the order in which they were created. An event without
 * deliveries has no entry.
 */
export async function deliveriesOf(
  db: Executor,
  eventIds: readonly string[],
  nowMs: number,
): Promise<ReadonlyMap<string, readonly DeliveryHistory[]>> {
  const found = new Map<string, DeliveryHistory[]>();
  for (const row of (await deliveries(db, eventIds, {})).rows) {
    const one: DeliveryHistory = {
      sink: row.sink,
      state: deliveryState(row, nowMs),
      messageId: row.message_id,
      attempts: row.attempts ?? 0,
      sentAtMs: row.message_state === "sent" ? row.done_at : null,
      ref: row.ref,
      detail: [detailOf(row), row.cause === "expired" ? "retry_for ended" : "", row.error ?? ""]
        .filter((text) => text !== "")
        .join("; "),
      wait: waitOf(row, nowMs),
    };
    const crosspost: DeliveryHistory[] =
      row.crosspost === null
        ? []
        : [
            {
              ...one,
              sink: `${row.sink} crosspost`,
              state: row.crosspost,
              attempts: row.crosspost_attempts ?? 0,
              sentAtMs: row.crosspost === "published" ? row.crosspost_at : null,
              detail: row.crosspost_error ?? "",
              wait: null,
            },
          ];
    found.set(row.event_id, [...(found.get(row.event_id) ?? []), one, ...crosspost]);
  }
  for (const [eventId, one] of await unenriched(db, eventIds, nowMs))
    found.set(eventId, [one, ...(found.get(eventId) ?? [])]);
  return found;
}

/**
 * Returns the detail to show. The stored detail of a delivery that joined another one is wrong if
 * the other one became a dead letter, because neither was delivered.
 */
const detailOf = ({
  state,
  detail,
  message_state: messageState,
}: StateRow & { readonly detail: string }): string =>
  state === "merged" && messageState === "dead"
    ? "it belongs to an alert that was given up"
    : detail;

interface StateRow {
  readonly state: string;
  readonly joined_state: string | null;
  readonly message_state: string | null;
  readonly not_before: number;
}

/**
 * Returns the outcome. For a merged delivery this is the outcome of the delivery that it joined.
 */
function deliveryState(row: StateRow, nowMs: number): DeliveryOutcome {
  if (row.state === "muted" || row.state === "duplicate") return row.state;
  if (row.message_state === "dead") return row.message_state;
  if ((row.joined_state ?? row.state) === "silenced") return "silenced";
  if ((row.joined_state ?? row.state) === "deleted") return "deleted";
  if (row.message_state === "open") return "sealed";
  // A sealed or summarised delivery without a message was sent. Its message was deleted by the
  // retention, which only deletes messages that are done.
  if ((row.joined_state ?? row.state) === "summarised") return "summarised";
  if (row.message_state === "sent" || row.state === "sealed") return "sent";
  return row.not_before > nowMs ? "held" : "waiting";
}

/** Returns events with their deliveries and the marks of people, in the given order. */
export async function recordsOf(
  db: Executor,
  events: readonly ChirpEvent[],
  nowMs: number,
): Promise<readonly EventRecord[]> {
  const ids = events.map(({ id }) => id);
  const deliveries = await deliveriesOf(db, ids, nowMs);
  const marks = await marksOf(db, "acknowledged", ids);
  const irrelevant = await marksOf(db, "not_relevant", ids);
  return events.map((event) => {
    const acknowledged = marks.get(event.id);
    const notRelevant = irrelevant.get(event.id);
    const record = { event, deliveries: deliveries.get(event.id) ?? [] };
    return {
      ...record,
      ...(acknowledged && { acknowledged }),
      ...(notRelevant && { notRelevant }),
    };
  });
}
