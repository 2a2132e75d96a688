/** The deliveries of one event with all that is kept about their way: group, throttle, silence, failed attempts. */
import type { EditHistory } from "../../model/edit.ts";
import type { DeliveryPath } from "../../model/history.ts";
import type { Executor } from "../db/statement.ts";
import { failedAttemptsOf } from "../outbox/failed-attempts.ts";
import { deliveriesOf } from "./delivery-history.ts";

export async function deliveryPathsOf(db: Executor, eventId: string, nowMs: number): Promise<readonly DeliveryPath[]> {
  const histories = (await deliveriesOf(db, [eventId], nowMs)).get(eventId) ?? [];
  const rows = await db
    .selectFrom("deliveries as d")
    .leftJoin("deliveries as j", "j.id", "d.joined_id")
    .leftJoin("edits as x", "x.delivery_id", "d.id")
    .select(["d.sink", "d.group_key", "d.throttle_key", "d.silenced_by", "d.replayed_at", "j.event_id as joined_event_id"])
    .select(["x.state as edit_state", "x.due_at as edit_due_at", "x.edited_at", "x.error as edit_error"])
    .where("d.event_id", "=", eventId)
    .execute();
  const failures = await failedAttemptsOf(
    db,
    histories.flatMap(({ messageId }) => messageId ?? []),
  );
  return histories.map((history) => {
    const row = rows.find(({ sink }) => sink === history.sink);
    const isCrosspost = row === undefined;
    return {
      ...history,
      groupKey: row?.group_key ?? "",
      throttleKey: row?.throttle_key ?? null,
      silencedBy: row?.silenced_by ?? null,
      replayedAtMs: row?.replayed_at ?? null,
      joinedEventId: row?.joined_event_id ?? null,
      edit: row === undefined ? null : editOf(row),
      failures: isCrosspost ? [] : (failures.get(history.messageId ?? "") ?? []).map(({ atMs, error }) => ({ atMs, error })),
    };
  });
}

interface EditRow {
  readonly edit_state: EditHistory["state"] | null;
  readonly edit_due_at: number | null;
  readonly edited_at: number | null;
  readonly edit_error: string | null;
}

const editOf = (row: EditRow): EditHistory | null =>
  row.edit_state === null
    ? null
    : {
        state: row.edit_state,
        dueAtMs: Number(row.edit_due_at),
        editedAtMs: row.edited_at === null ? null : Number(row.edited_at),
        error: row.edit_error ?? "",
      };
