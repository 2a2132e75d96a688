/**
 * Stores levels. A level is an alert on a value beyond a threshold that a sink repeats or resolves.
 * It is opened with its delivery, read together with what the detector remembers, and closed.
 */
import { type ChirpEvent, underName } from "../../model/event.ts";
import type { JsonObject } from "../../model/json.ts";
import type { DueRepeats, LastRepeat, LevelRules, OpenLevel } from "../../model/level.ts";
import type { NewDelivery } from "../../model/poll-store.ts";
import { fromText, toText } from "../db/json-text.ts";
import { type Executor, insertRows, listStatement, statement } from "../db/statement.ts";
import type { DeliveriesTable } from "../db/outbox-tables.ts";
import { eventOf } from "./insert-events.ts";

const COLUMNS = [
  "event_id",
  "sink",
  "created_at",
  "repeat_ms",
  "next_at",
  "repeats",
  "rules",
  "last_at",
  "last_event_id",
] as const;

const insertNewLevels = insertRows("levels", COLUMNS, (insert) =>
  insert.onConflict((conflict) => conflict.columns(["event_id", "sink"]).doNothing()),
);

const eventsById = listStatement<object, string>()((on, list) =>
  on.selectFrom("events").selectAll().where("id", "in", list),
);

/**
 * Opens a level for each new delivery that is sent as an alert of its own. A delivery that joined
 * another alert is repeated and resolved together with that alert.
 */
export async function openNewLevels(
  on: Executor,
  deliveries: readonly NewDelivery[],
  rows: readonly DeliveriesTable[],
): Promise<void> {
  const opening = deliveries.flatMap(({ eventId, sink, level }, index) => {
    const row = rows[index];
    return level === undefined || row?.state !== "waiting"
      ? []
      : [{ eventId, sink, level, atMs: row.created_at }];
  });
  if (opening.length === 0) return;
  const found = await eventsById(on, [...new Set(opening.map(({ eventId }) => eventId))], {});
  const events = new Map(found.rows.map((row) => [row.id, eventOf(row)]));
  for (const { eventId, sink, level, atMs } of opening) {
    const event = events.get(eventId);
    if (event === undefined) continue;
    const { memory } = await targetOf(on, event.watchKey, event.subject);
    const rules = rulesOf(event, memory);
    await endSeries(on, { event, sink, rules });
    const { repeatMs = null } = level;
    const nextAt = repeatMs === null ? null : atMs + repeatMs;
    const times = { created_at: atMs, repeat_ms: repeatMs, next_at: nextAt, last_at: atMs };
    await insertNewLevels(on, [
      { event_id: eventId, sink, ...times, repeats: 0, rules: toText(rules), last_event_id: null },
    ]);
  }
}

const sameSubject = statement<{ watchKey: string; subject: string; type: string; sink: string }>()(
  (on, slot) =>
    on
      .selectFrom("levels as l")
      .innerJoin("events as e", "e.id", "l.event_id")
      .selectAll("e")
      .select("l.rules")
      .where("l.sink", "=", slot("sink"))
      .where("e.watch_key", "=", slot("watchKey"))
      .where("e.subject", "=", slot("subject"))
      .where("e.type", "=", slot("type")),
);

interface NewSeries {
  readonly event: ChirpEvent;
  readonly sink: string;
  readonly rules: LevelRules;
}

/**
 * Ends the repeats of earlier alerts on thresholds that a value crosses again, whether or not a
 * poll saw the value back to normal in between.
 */
async function endSeries(on: Executor, { event, sink, rules }: NewSeries): Promise<void> {
  const { watchKey, subject, type } = event;
  for (const row of (await sameSubject(on, { watchKey, subject, type, sink })).rows) {
    if (row.id === event.id) continue;
    const before =
      row.rules === null
        ? rulesOf(eventOf(row), { thresholds: rules })
        : fromText<LevelRules>(row.rules);
    const left = Object.fromEntries(Object.entries(before).filter(([name]) => !(name in rules)));
    if (Object.keys(left).length === Object.keys(before).length) continue;
    if (Object.keys(left).length === 0) await closeLevel(on, { event: { id: row.id }, sink });
    else
      await on
        .updateTable("levels")
        .set({ rules: toText(left) })
        .where("event_id", "=", row.id)
        .where("sink", "=", sink)
        .execute();
  }
}

/**
 * Returns the thresholds that an alert is about, by name, as far as the detector remembers them.
 */
function rulesOf({ body }: Pick<ChirpEvent, "body">, memory: JsonObject | null): LevelRules {
  const written = (memory?.["thresholds"] ?? {}) as LevelRules;
  const crossed = Array.isArray(body["crossed"])
    ? body["crossed"].filter((name) => typeof name === "string")
    : [];
  return Object.fromEntries(
    crossed.flatMap((name) => (Object.hasOwn(written, name) ? [[name, written[name] ?? ""]] : [])),
  );
}

const openColumns = (on: Executor) =>
  on
    .selectFrom("levels as l")
    .innerJoin("events as e", "e.id", "l.event_id")
    .innerJoin("deliveries as d", (join) =>
      join.onRef("d.event_id", "=", "l.event_id").onRef("d.sink", "=", "l.sink"),
    )
    .leftJoin("messages as m", "m.id", "d.message_id")
    .leftJoin("deliveries as r", (join) =>
      join.onRef("r.event_id", "=", "l.last_event_id").onRef("r.sink", "=", "l.sink"),
    )
    .leftJoin("messages as rm", "rm.id", "r.message_id")
    .leftJoin("watches as w", "w.key", "e.watch_key")
    .selectAll("e")
    .select([
      "l.sink",
      "l.created_at",
      "l.repeats",
      "l.next_at",
      "l.rules",
      "l.last_at",
      "l.last_event_id",
      "d.state",
    ])
    .select([
      "m.state as message_state",
      "m.done_at",
      "r.state as repeat_state",
      "rm.state as repeat_message_state",
    ])
    .select((eb) =>
      eb
        .selectFrom("deliveries as other")
        .select("other.id")
        .whereRef("other.message_id", "=", "r.message_id")
        .where("other.message_id", "is not", null)
        .whereRef("other.id", "!=", "r.id")
        .limit(1)
        .as("repeat_beside"),
    )
    .select(["w.id as watch_id", "w.paused", "w.enabled", "w.removed_at"])
    .orderBy("l.created_at")
    .orderBy("e.seq");

const selectOpen = statement<object>()(openColumns);
const selectOpenOf = listStatement<object, string>()((on, list) =>
  openColumns(on).where("e.watch_key", "in", list),
);

type OpenRow = Awaited<ReturnType<typeof selectOpen>>["rows"][number];

export async function openLevels(
  db: Executor,
  watchKeys?: readonly string[],
): Promise<readonly OpenLevel[]> {
  const { rows } = await (watchKeys === undefined
    ? selectOpen(db, {})
    : selectOpenOf(db, watchKeys, {}));
  return Promise.all(
    rows.map(async (row) => openLevel(row, await targetOf(db, row.watch_key, row.subject))),
  );
}

const openLevel = (row: OpenRow, { key, memory }: LevelTarget): OpenLevel => ({
  event: underName(eventOf(row), row.watch_id ?? undefined),
  sink: row.sink,
  isSent: ["waiting", "sealed", "summarised"].includes(row.state),
  isWaiting: row.state === "waiting" || row.message_state === "open",
  doneAtMs: row.done_at === null ? null : Number(row.done_at),
  isPolled: row.paused === 0 && row.enabled === 1 && row.removed_at === null,
  repeats: row.repeats,
  ...(row.last_event_id === null
    ? {}
    : { lastRepeat: { eventId: row.last_event_id, state: repeatState(row) } }),
  lastAtMs: Number(row.last_at ?? row.created_at),
  nextAtMs: row.next_at === null ? null : Number(row.next_at),
  rules: row.rules === null ? null : fromText(row.rules),
  targetKey: key,
  memory,
});

function repeatState(row: OpenRow): LastRepeat["state"] {
  if (row.repeat_state === "waiting") return "waiting";
  if (row.repeat_message_state !== "open") return "done";
  return row.repeat_beside === null ? "waiting" : "sealed";
}

const countRepeats = statement<object>()((on) =>
  on
    .selectFrom("levels")
    .select((eb) => [
      "sink",
      eb.fn.countAll<number>().as("count"),
      eb.fn.min("next_at").as("next_at"),
    ])
    .where("next_at", "is not", null)
    .groupBy("sink"),
);

export async function dueRepeats(db: Executor): Promise<readonly DueRepeats[]> {
  const { rows } = await countRepeats(db, {});
  return rows.map(({ sink, count, next_at: nextAt }) => ({
    sink,
    count: Number(count),
    nextAtMs: Number(nextAt),
  }));
}

interface LevelTarget {
  readonly key: string | null;
  readonly memory: JsonObject | null;
}

/**
 * Returns the target whose value an alert is about. `subject` is an account's id or the target's
 * own key.
 */
async function targetOf(db: Executor, watchKey: string, subject: string): Promise<LevelTarget> {
  const row = await db
    .selectFrom("targets")
    .select(["key", "memory"])
    .where("watch_key", "=", watchKey)
    .where((eb) => eb.or([eb("user_id", "=", subject), eb("key", "=", subject)]))
    .where("merged_into", "is", null)
    .where("removed_at", "is", null)
    .executeTakeFirst();
  return row === undefined
    ? { key: null, memory: null }
    : { key: row.key, memory: fromText(row.memory) };
}

export async function closeLevel(
  db: Executor,
  { event, sink }: { readonly event: Pick<ChirpEvent, "id">; readonly sink: string },
): Promise<void> {
  await db.deleteFrom("levels").where("event_id", "=", event.id).where("sink", "=", sink).execute();
}
