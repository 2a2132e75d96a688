/**
 * Returns the deliveries of one event with everything that is stored about them: route, group,
 * throttle, silence, thread, wording, failed attempts.
 */
import type { EditHistory } from "../../model/edit.ts";
import type { DeliveryPath, ThreadPlace } from "../../model/history.ts";
import { fromText } from "../db/json-text.ts";
import type { Executor } from "../db/statement.ts";
import { failedAttemptsOf } from "../outbox/failed-attempts.ts";
import { deliveriesOf } from "./delivery-history.ts";

export async function deliveryPathsOf(
  db: Executor,
  eventId: string,
  nowMs: number,
): Promise<readonly DeliveryPath[]> {
  const histories = (await deliveriesOf(db, [eventId], nowMs)).get(eventId) ?? [];
  const rows = await pathRows(db, eventId);
  const failures = await failedAttemptsOf(
    db,
    histories.flatMap(({ messageId }) => messageId ?? []),
  );
  return histories.map((history) => {
    const row = rows.find(({ sink }) => sink === history.sink);
    // Crossposts and enrichments are not deliveries, so they have no row.
    if (row === undefined) return { ...history, ...NOWHERE };
    return {
      ...history,
      groupKey: row.group_key,
      throttleKey: row.throttle_key,
      silencedBy: row.silenced_by,
      replayedAtMs: row.replayed_at,
      joinedEventId: row.joined_event_id,
      channel: row.channel ?? null,
      routed: row.routed === null ? null : fromText(row.routed),
      thread: threadOf(row),
      wording:
        row.worded_by === null ? null : { template: row.worded_by, error: row.wording_error },
      repeat:
        row.repeats === null
          ? null
          : { count: row.repeats, nextAtMs: row.next_at === null ? null : Number(row.next_at) },
      escalation: escalationOf(row),
      edit: editOf(row),
      failures: (failures.get(history.messageId ?? "") ?? []).map(({ atMs, error }) => ({
        atMs,
        error,
      })),
    };
  });
}

const NOWHERE = {
  ...{
    groupKey: "",
    throttleKey: null,
    silencedBy: null,
    replayedAtMs: null,
    joinedEventId: null,
    channel: null,
  },
  ...{ routed: null, thread: null, wording: null, repeat: null, edit: null, failures: [] },
  escalation: null,
} as const;

type PathRow = Awaited<ReturnType<typeof pathRows>>[number];

/**
 * Returns a row for each delivery of the event. A delivery that joined another one gets the message
 * and the wording of that other one.
 */
const pathRows = (db: Executor, eventId: string) =>
  db
    .selectFrom("deliveries as d")
    .leftJoin("deliveries as j", "j.id", "d.joined_id")
    .leftJoin("messages as m", (join) =>
      join.onRef("m.id", "=", (eb) => eb.fn.coalesce("d.message_id", "j.message_id")),
    )
    .leftJoin("messages as parent", "parent.id", "m.parent_id")
    .leftJoin("threads as t", "t.message_id", "m.id")
    .leftJoin("edits as x", "x.delivery_id", "d.id")
    .leftJoin("escalations as s", "s.delivery_id", "d.id")
    .leftJoin("levels as l", (join) =>
      join.onRef("l.event_id", "=", "d.event_id").onRef("l.sink", "=", "d.sink"),
    )
    .select([
      "d.sink",
      "d.group_key",
      "d.throttle_key",
      "d.silenced_by",
      "d.replayed_at",
      "j.event_id as joined_event_id",
      "d.routed",
    ])
    .select((eb) => [
      eb.fn.coalesce("d.worded_by", "j.worded_by").as("worded_by"),
      eb.fn.coalesce("d.wording_error", "j.wording_error").as("wording_error"),
    ])
    .select([
      "m.id as message_id",
      "m.ref",
      "m.channel",
      "parent.id as parent_id",
      "parent.ref as parent_ref",
      "t.message_id as begun_by",
    ])
    .select(["l.repeats", "l.next_at"])
    .select(["s.plan", "s.taken", "s.ended", "s.due_at as escalates_at"])
    .select([
      "x.state as edit_state",
      "x.due_at as edit_due_at",
      "x.edited_at",
      "x.error as edit_error",
    ])
    .where("d.event_id", "=", eventId)
    .execute();

function threadOf({
  message_id: id,
  ref,
  parent_id: parent,
  parent_ref: parentRef,
  begun_by: begun,
}: PathRow): ThreadPlace | null {
  if (parent !== null) return { firstMessageId: parent, isFirst: false, ref: parentRef };
  return id === null || begun === null ? null : { firstMessageId: id, isFirst: true, ref };
}

const escalationOf = ({
  plan,
  taken,
  ended,
  escalates_at: dueAt,
}: PathRow): DeliveryPath["escalation"] =>
  taken === null || ended === null
    ? null
    : {
        plan: plan === null ? undefined : fromText(plan),
        taken: fromText(taken),
        ended,
        dueAtMs: dueAt === null ? null : Number(dueAt),
      };

const editOf = (row: PathRow): EditHistory | null =>
  row.edit_state === null
    ? null
    : {
        state: row.edit_state,
        dueAtMs: Number(row.edit_due_at),
        editedAtMs: row.edited_at === null ? null : Number(row.edited_at),
        error: row.edit_error ?? "",
      };
