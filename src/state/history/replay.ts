/**
 * Makes deliveries due again, because an operator wants to send them once more. The message in
 * which they were sent remains, without deliveries.
 */
import type { Json } from "../../model/json.ts";
import type { AuditRecord, Replay, ReplayCandidate, ReplaySelection } from "../../model/replay.ts";
import { fromText } from "../db/json-text.ts";
import { DEAD, OPEN, WAITING } from "../db/literals.ts";
import { nextNumbers } from "../db/sequence.ts";
import { type Executor, listStatement, transact } from "../db/statement.ts";
import type { DeliveriesTable } from "../db/outbox-tables.ts";
import { recordAudit } from "../db/audit.ts";
import { editAgain } from "./edits.ts";
import { refreshGroupsOf } from "../outbox/group-timers.ts";
import { releaseWaiting } from "../outbox/release-waiting.ts";
import { deliveryRow, insertNew } from "../outbox/insert-deliveries.ts";
import { takenOfMessage } from "../outbox/taken.ts";

export async function findReplayable(
  db: Executor,
  selection: ReplaySelection,
): Promise<readonly ReplayCandidate[]> {
  const candidates = db
    .selectFrom("deliveries as d")
    .leftJoin("deliveries as j", "j.id", "d.joined_id")
    .leftJoin("messages as m", (join) =>
      join.onRef("m.id", "=", (eb) => eb.fn.coalesce("d.message_id", "j.message_id")),
    )
    .select([
      "d.id",
      "d.event_id",
      "d.sink",
      "d.state",
      "d.due_at",
      "d.joined_id",
      "j.state as joined_state",
    ])
    .select([
      "j.due_at as joined_due_at",
      "m.state as message_state",
      "m.held_by",
      "m.next_attempt_at",
      "m.error",
      "m.taken",
    ])
    .orderBy("d.id");
  const rows = await ("eventId" in selection
    ? candidates.where("d.event_id", "=", selection.eventId)
    : candidates
        .innerJoin("events as e", "e.id", "d.event_id")
        .where("e.watch_key", "!=", "")
        .where((eb) => eb(eb.fn.coalesce("m.done_at", "d.created_at"), ">=", selection.sinceMs))
  ).execute();
  return rows.map((row) => ({
    deliveryId: String(row.id),
    eventId: row.event_id,
    sink: row.sink,
    fate: fateOf(row),
    // If a sent message has an error, the error says which receivers do not have it.
    ...(row.message_state === "sent" && row.error !== "" && row.taken === null
      ? { reachesAgain: true }
      : {}),
    wait: waitOf(row),
  }));
}

interface WaitRow extends FateRow {
  readonly id: number;
  readonly due_at: number;
  readonly joined_id: number | null;
  readonly joined_due_at: number | null;
  readonly held_by: string | null;
  readonly next_attempt_at: number | null;
}

/**
 * Returns until when a delivery waits; null if it does not wait for a known time. A sealed message
 * waits for a known time only if a mute holds it; otherwise it waits for its sink.
 */
function waitOf(row: WaitRow): ReplayCandidate["wait"] {
  const deliveryId = String(row.joined_id ?? row.id);
  if (row.state === "waiting") return { deliveryId, untilMs: Number(row.due_at) };
  if (row.joined_state === "waiting") return { deliveryId, untilMs: Number(row.joined_due_at) };
  return row.message_state === "open" && row.held_by !== null
    ? { deliveryId, untilMs: Number(row.next_attempt_at) }
    : null;
}

interface FateRow {
  readonly state: DeliveriesTable["state"];
  readonly joined_state: DeliveriesTable["state"] | null;
  readonly message_state: string | null;
}

function fateOf({
  state,
  joined_state: joinedState,
  message_state: messageState,
}: FateRow): ReplayCandidate["fate"] {
  if (messageState === "open" || state === "waiting" || joinedState === "waiting")
    return "under_way";
  if (state === "silenced") return "silenced";
  return state === "merged" || state === "duplicate" ? "joined" : "done";
}

const reset = listStatement<{ now: number }, number>()((on, list, slot) =>
  on
    .updateTable("deliveries")
    .set((eb) => ({
      group_key: eb.fn.coalesce("original_group_key", "group_key"),
      grouped: eb
        .case()
        .when(eb.fn.coalesce("original_group_key", "group_key"), "=", eb.ref("event_id"))
        .then(0)
        .else(1)
        .end(),
      original_group_key: null,
      state: "waiting",
      detail: "",
      not_before: slot("now"),
      held_by: null,
      due_at: slot("now"),
      taken: takenOfMessage(eb),
      message_id: null,
      joined_id: null,
      replayed_at: slot("now"),
    }))
    .where("id", "in", list)
    .where("state", "!=", WAITING)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("messages as m")
            .select("m.id")
            .whereRef("m.id", "=", "deliveries.message_id")
            .where("m.state", "=", OPEN),
        ),
      ),
    )
    .returning(["sink", "group_key", "grouped"]),
);

const messagesOf = listStatement<object, number>()((on, list) =>
  on
    .selectFrom("deliveries")
    .select("message_id")
    .where("id", "in", list)
    .where("message_id", "is not", null),
);

/** Acknowledges a dead letter once all its alerts were made due again. */
const acknowledgeEmpty = listStatement<{ now: number }, string>()((on, list, slot) =>
  on
    .updateTable("messages")
    .set({ acknowledged_at: slot("now") })
    .where("id", "in", list)
    .where("state", "=", DEAD)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("deliveries as d")
            .select("d.id")
            .whereRef("d.message_id", "=", "messages.id"),
        ),
      ),
    ),
);

export function replay(
  db: Executor,
  { deliveryIds, releasedIds = [], added, atMs, detail }: Replay,
): Promise<number> {
  return transact(db, async (on) => {
    const ids = deliveryIds.map(Number);
    const messageIds = (await messagesOf(on, ids, {})).rows.flatMap(
      ({ message_id: id }) => id ?? [],
    );
    const { rows } = await reset(on, ids, { now: atMs });
    await editAgain(on, ids, atMs);
    await acknowledgeEmpty(on, messageIds, { now: atMs });
    const numberOf = await nextNumbers(on, "delivery", added.length);
    const made = await insertNew(
      on,
      added.map((delivery, index) => ({
        ...deliveryRow(delivery, numberOf(index), atMs),
        replayed_at: atMs,
      })),
    );
    await refreshGroupsOf(on, rows);
    const released = await releaseWaiting(on, releasedIds.map(Number), atMs);
    const alerts = rows.length + made.changed + released;
    if (alerts > 0)
      await recordAudit(on, atMs, "eventId" in detail ? "replay event" : "replay since", {
        ...detail,
        alerts,
      });
    return alerts;
  });
}

export async function auditRecords(db: Executor, limit: number): Promise<readonly AuditRecord[]> {
  const rows = await db
    .selectFrom("audit")
    .selectAll()
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return rows.map(({ id, at, action, detail }) => ({
    id: String(id),
    atMs: Number(at),
    action,
    detail: fromText<Json>(detail),
  }));
}
