/**
 * Stores escalations: an alert's row begins when its message is recorded as sent, given up or not
 * taken, and each step is committed together with its event.
 */
import type {
  DueEscalation,
  EscalationChange,
  EscalationCommit,
  EscalationOutlook,
  PlannedStep,
  TakenStep,
} from "../../model/escalation.ts";
import { groupBy } from "../../model/group-by.ts";
import { fromText, toText } from "../db/json-text.ts";
import { type Executor, listStatement, statement, transact } from "../db/statement.ts";
import { eventOf, insertEvents } from "../items/insert-events.ts";
import { marksOf } from "../messages/marked-events.ts";
import { goneDeliveries } from "./gone-posts.ts";
import { insertDeliveries } from "./insert-deliveries.ts";

export async function nextEscalationAt(db: Executor): Promise<number | null> {
  const { rows } = await firstDue(db, {});
  const dueAt = rows[0]?.due_at ?? null;
  return dueAt === null ? null : Number(dueAt);
}

const firstDue = statement<object>()((on) =>
  on
    .selectFrom("escalations")
    .select("due_at")
    .where("due_at", "is not", null)
    .orderBy("due_at")
    .limit(1),
);

export async function escalationOutlook(db: Executor): Promise<readonly EscalationOutlook[]> {
  const { rows } = await countPlanned(db, {});
  const found = rows.flatMap(({ sink, plan, count, due_at: dueAt }) => {
    const [next] = fromText<readonly PlannedStep[]>(plan ?? "[]");
    return next === undefined
      ? []
      : [{ sink, to: next.sink, count: Number(count), nextAtMs: Number(dueAt) }];
  });
  return [...groupBy(found, ({ sink, to }) => `${sink}\n${to}`).values()].map((alike) => ({
    sink: alike[0]?.sink ?? "",
    to: alike[0]?.to ?? "",
    count: alike.reduce((sum, one) => sum + one.count, 0),
    nextAtMs: Math.min(...alike.map((one) => one.nextAtMs)),
  }));
}

const countPlanned = statement<object>()((on) =>
  on
    .selectFrom("escalations as x")
    .innerJoin("deliveries as d", "d.id", "x.delivery_id")
    .select((eb) => [
      "d.sink",
      "x.plan",
      eb.fn.countAll<number>().as("count"),
      eb.fn.min("x.due_at").as("due_at"),
    ])
    .where("x.due_at", "is not", null)
    .where("x.plan", "is not", null)
    .groupBy(["d.sink", "x.plan"])
    .orderBy("d.sink"),
);

/** More than the alerts of one message, so that the first message is always whole. */
const MAX_AT_ONCE = 2_000;

const dueRows = statement<{ now: number }>()((on, slot) =>
  on
    .selectFrom("escalations as x")
    .innerJoin("deliveries as d", "d.id", "x.delivery_id")
    .innerJoin("events as e", "e.id", "d.event_id")
    .leftJoin("messages as m", (join) =>
      join.onRef("m.id", "=", (eb) => eb.fn.coalesce("d.message_id", "x.message_id")),
    )
    .selectAll("e")
    .select(["x.delivery_id", "x.base_at", "x.begun_at", "x.at_once", "x.revision"])
    .select(["x.plan", "x.taken", "x.ended", "x.due_at", "d.sink", "d.state", "d.routed"])
    .select(["d.group_key", "d.follows_id", "d.replayed_at", "d.due_at as waits_until"])
    .select(["m.id as message_id", "m.state as message_state", "m.error", "m.ref", "m.channel"])
    .select(["m.held_by", "m.next_attempt_at", "m.group_key as message_group"])
    .where("x.due_at", "<=", slot("now"))
    .orderBy("x.due_at")
    .orderBy("m.id")
    .orderBy("x.delivery_id")
    .limit(MAX_AT_ONCE),
);

type DueRow = Awaited<ReturnType<typeof dueRows>>["rows"][number];

export async function dueEscalations(
  db: Executor,
  nowMs: number,
): Promise<readonly DueEscalation[]> {
  const { rows: found } = await dueRows(db, { now: nowMs });
  if (found.length === 0) return [];
  const cut = found.length < MAX_AT_ONCE ? undefined : found.at(-1)?.message_id;
  const whole = found.filter((row) => cut === undefined || cut === null || row.message_id !== cut);
  const rows = whole.length === 0 ? found : whole;
  const eventIds = [...new Set(rows.map(({ id }) => id))];
  const marks = await marksOf(db, "acknowledged", eventIds);
  const gone = await goneDeliveries(
    db,
    rows.map((row) => Number(row.delivery_id)),
  );
  const { rows: taken } = await takenOf(db, eventIds, {});
  return rows.map((row) => ({
    ...dueEscalation(row),
    isAcknowledged: marks.has(row.id),
    isGone: gone.has(Number(row.delivery_id)),
    sentElsewhere: taken
      .filter((one) => one.event_id === row.id && one.delivery_id !== row.delivery_id)
      .flatMap((one) => fromText<readonly TakenStep[]>(one.taken))
      .filter(({ kind }) => kind === "sent"),
  }));
}

function dueEscalation(
  row: DueRow,
): Omit<DueEscalation, "isAcknowledged" | "isGone" | "sentElsewhere"> {
  const { message_id: id, message_state: state } = row;
  const isHeld = row.held_by !== null && state === "open";
  // An alert that a throttle gathered may be sent alone, as an ordinary message of its own group.
  const groupKey = row.state === "sealed" ? row.message_group : row.group_key;
  return {
    deliveryId: String(row.delivery_id),
    sink: row.sink,
    baseAtMs: Number(row.base_at),
    begunAtMs: Number(row.begun_at),
    isAtOnce: row.at_once === 1,
    plan: row.plan === null ? undefined : fromText<readonly PlannedStep[]>(row.plan),
    taken: fromText<readonly TakenStep[]>(row.taken),
    ended: row.ended,
    dueAtMs: row.due_at === null ? null : Number(row.due_at),
    revision: row.revision,
    event: eventOf(row),
    routed: row.routed === null ? undefined : fromText(row.routed),
    groupKey: groupKey ?? row.group_key,
    isOnItsWay: row.state === "sealed" || row.state === "waiting",
    waitsUntilMs: row.state === "waiting" ? Number(row.waits_until) : null,
    isReplayed: row.replayed_at !== null,
    isFollowUp: row.follows_id !== null,
    message:
      id === null || state === null
        ? undefined
        : {
            id,
            state,
            error: row.error ?? "",
            ref: row.ref,
            channel: row.channel ?? null,
            heldUntilMs: isHeld ? Number(row.next_attempt_at) : null,
          },
  };
}

const takenOf = listStatement<object, string>()((on, list) =>
  on
    .selectFrom("deliveries as d")
    .innerJoin("escalations as x", "x.delivery_id", "d.id")
    .select(["d.event_id", "x.delivery_id", "x.taken"])
    .where("d.event_id", "in", list),
);

/** Returns the ids of the escalations that were sent about these alerts, each once. */
export async function sentEscalations(
  on: Executor,
  eventIds: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await takenOf(on, eventIds, {});
  const steps = rows.flatMap(({ taken }) => fromText<readonly TakenStep[]>(taken));
  return [...new Set(steps.flatMap(({ eventId }) => eventId ?? []))];
}

/** Thrown to roll the transaction back if something was changed since it was read. */
class Conflict extends Error {}

/**
 * A commit that sends something has the state to itself, so an acknowledgement comes before it or
 * after it.
 */
export async function commitEscalations(db: Executor, commit: EscalationCommit): Promise<boolean> {
  const { events, deliveries, atMs, changes, forgottenIds } = commit;
  const work = async (on: Executor) => {
    const asked = changes.flatMap(({ unlessAcknowledged: id }) => id ?? []);
    if ((await marksOf(on, "acknowledged", asked)).size > 0) throw new Conflict();
    for (const change of changes)
      if ((await write(on, rowOf(change))).changed === 0) throw new Conflict();
    await forget(on, forgottenIds.map(Number), {});
    const created = await insertEvents(on, events);
    await insertDeliveries(
      on,
      deliveries.filter(({ eventId }) => created.has(eventId)),
      atMs,
    );
  };
  try {
    await transact(db, work, events.length === 0 ? [] : undefined);
    return true;
  } catch (error) {
    if (error instanceof Conflict) return false;
    throw error;
  }
}

const rowOf = (change: EscalationChange) => ({
  id: Number(change.deliveryId),
  revision: change.revision,
  base: change.baseAtMs,
  atOnce: change.isAtOnce ? 1 : 0,
  due: change.dueAtMs,
  plan: change.plan === undefined ? null : toText(change.plan),
  taken: toText(change.taken),
  ended: change.ended,
});

const write = statement<ReturnType<typeof rowOf>>()((on, slot) =>
  on
    .updateTable("escalations")
    .set((eb) => ({
      base_at: slot("base"),
      at_once: slot("atOnce"),
      due_at: slot("due"),
      plan: slot("plan"),
      taken: slot("taken"),
      ended: slot("ended"),
      revision: eb("revision", "+", 1),
    }))
    .where("delivery_id", "=", slot("id"))
    .where("revision", "=", slot("revision")),
);

const forget = listStatement<object, number>()((on, list) =>
  on.deleteFrom("escalations").where("delivery_id", "in", list),
);
