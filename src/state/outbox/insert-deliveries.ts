/**
 * Inserts the deliveries of new events: when each is due, and whether it is sent on its own or
 * joins another one.
 */
import type { NewDelivery } from "../../model/poll-store.ts";
import { EarlierAlerts } from "./earlier-alerts.ts";
import { GroupTimers } from "./group-timers.ts";
import { DedupeKeys } from "./dedupe-keys.ts";
import { openNewLevels } from "../items/levels.ts";
import { replaceHeld } from "./replace-held.ts";
import { silencedDetail } from "./silenced-deliveries.ts";
import { scopeOfSink } from "../db/scopes.ts";
import { nextNumbers } from "../db/sequence.ts";
import { toText } from "../db/json-text.ts";
import { type Executor, insertRows } from "../db/statement.ts";
import type { DeliveriesTable } from "../db/outbox-tables.ts";

const COLUMNS = [
  "id",
  "event_id",
  "sink",
  "group_key",
  "grouped",
  "not_before",
  "held_by",
  "once_key",
  "throttle_key",
  "state",
  "detail",
  "due_at",
  "created_at",
  "message_id",
  "joined_id",
  "original_group_key",
  "silenced_by",
  "replayed_at",
  "template",
  "routed",
  "worded_by",
  "wording_error",
  "after_id",
  "follows_id",
] as const;

/** Inserts deliveries. An event goes to a sink only once, whatever the routes say. */
export const insertNew = insertRows("deliveries", COLUMNS, (insert) =>
  insert.onConflict((conflict) => conflict.columns(["event_id", "sink"]).doNothing()),
);

/**
 * Returns the scopes of the sinks at which a delivery joins a group or may join another delivery. A
 * delivery that is sent on its own relies on no other rows, so it needs no scope.
 */
export const scopesOfDeliveries = (deliveries: readonly NewDelivery[]): readonly string[] => {
  const joining = deliveries.filter(
    ({ once, groupKey, eventId }) => once !== undefined || groupKey !== eventId,
  );
  return joining.map(({ sink }) => scopeOfSink(sink));
};

export async function insertDeliveries(
  on: Executor,
  deliveries: readonly NewDelivery[],
  nowMs: number,
): Promise<void> {
  if (deliveries.length === 0) return;
  const numberOf = await nextNumbers(on, "delivery", deliveries.length);
  const dedupeKeys = await DedupeKeys.load(on, deliveries, nowMs);
  const earlier = await EarlierAlerts.load(on, deliveries);
  const timers = new GroupTimers(on);
  const rows: DeliveriesTable[] = [];
  for (const [i, delivery] of deliveries.entries()) {
    const row = deliveryRow(delivery, numberOf(i), nowMs);
    rows.push(row);
    earlier.place(row, delivery);
    if (row.state !== "waiting") continue;
    const admitted = dedupeKeys.admit(row, delivery);
    if (admitted !== undefined && row.grouped === 1)
      row.due_at = await timers.dueAt(admitted, nowMs);
    earlier.add(row, delivery);
  }
  await insertNew(on, rows);
  await openNewLevels(on, deliveries, rows);
  await timers.save();
  await replaceHeld(on, dedupeKeys.replacements);
}

/** Returns the row of a waiting delivery before it is deduplicated or its group sets its time. */
export const deliveryRow = (delivery: NewDelivery, id: number, nowMs: number): DeliveriesTable => ({
  id,
  event_id: delivery.eventId,
  sink: delivery.sink,
  group_key: delivery.groupKey,
  grouped: delivery.groupKey === delivery.eventId ? 0 : 1,
  not_before: delivery.notBeforeMs,
  held_by: delivery.heldBy ?? null,
  once_key: delivery.once?.key ?? null,
  throttle_key: delivery.throttleKey ?? null,
  ...initialState(delivery),
  due_at: Math.max(nowMs, delivery.notBeforeMs),
  created_at: nowMs,
  message_id: null,
  joined_id: null,
  original_group_key: null,
  silenced_by: delivery.silencedBy ?? null,
  replayed_at: null,
  template: delivery.template ?? null,
  routed: delivery.routed === undefined ? null : toText(delivery.routed),
  worded_by: null,
  wording_error: null,
  after_id: null,
  follows_id: null,
});

/**
 * Returns the state of a new delivery. A delivery that a mute drops is never sent, so a mute takes
 * precedence over a silence.
 */
function initialState({
  mutedBy,
  silencedBy,
}: NewDelivery): Pick<DeliveriesTable, "state" | "detail"> {
  if (mutedBy !== undefined) return { state: "muted", detail: mutedBy };
  return silencedBy === undefined
    ? { state: "waiting", detail: "" }
    : { state: "silenced", detail: silencedDetail(silencedBy) };
}
