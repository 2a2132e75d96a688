/** Alerts on values that are across a threshold: opened with their deliveries, read with what the detector remembers, closed. */
import type { DueRepeats, LevelChange, OpenLevel } from "../../model/level.ts";
import type { NewDelivery } from "../../model/poll-store.ts";
import { fromText, toText } from "../db/json-text.ts";
import { type Executor, insertRows, statement } from "../db/statement.ts";
import type { DeliveriesTable } from "../db/outbox-tables.ts";
import { eventOf } from "./insert-events.ts";

const insertNewLevels = insertRows("levels", ["event_id", "sink", "created_at", "repeat_ms", "next_at", "repeats", "rules"], (insert) =>
  insert.onConflict((conflict) => conflict.columns(["event_id", "sink"]).doNothing()),
);

/** Of what goes out by itself: what another alert stands for is repeated and resolved with that one. */
export async function openNewLevels(on: Executor, deliveries: readonly NewDelivery[], rows: readonly DeliveriesTable[]): Promise<void> {
  const opened = deliveries.flatMap(({ eventId, sink, level }, index) => {
    const row = rows[index];
    if (level === undefined || row?.state !== "waiting") return [];
    const nextAt = level.repeatMs === undefined ? null : row.created_at + level.repeatMs;
    const repeatMs = level.repeatMs ?? null;
    return [{ event_id: eventId, sink, created_at: row.created_at, repeat_ms: repeatMs, next_at: nextAt, repeats: 0, rules: null }];
  });
  await insertNewLevels(on, opened);
}

const selectOpen = statement<object>()((on) =>
  on
    .selectFrom("levels as l")
    .innerJoin("events as e", "e.id", "l.event_id")
    .innerJoin("deliveries as d", (join) => join.onRef("d.event_id", "=", "l.event_id").onRef("d.sink", "=", "l.sink"))
    .leftJoin("watches as w", "w.key", "e.watch_key")
    .selectAll("e")
    .select(["l.sink", "l.repeats", "l.next_at", "l.rules", "d.state", "w.paused", "w.enabled", "w.removed_at"])
    .orderBy("l.created_at")
    .orderBy("e.seq"),
);

export async function openLevels(db: Executor): Promise<readonly OpenLevel[]> {
  const { rows } = await selectOpen(db, {});
  return Promise.all(
    rows.map(async (row) => ({
      event: eventOf(row),
      sink: row.sink,
      isSent: ["waiting", "sealed", "summarised"].includes(row.state),
      isPolled: row.paused === 0 && row.enabled === 1 && row.removed_at === null,
      repeats: row.repeats,
      nextAtMs: row.next_at === null ? null : Number(row.next_at),
      rules: row.rules === null ? null : fromText(row.rules),
      memory: await memoryOf(db, row.watch_key, row.subject),
    })),
  );
}

export async function dueRepeats(db: Executor): Promise<readonly DueRepeats[]> {
  const rows = await db
    .selectFrom("levels")
    .select((eb) => ["sink", eb.fn.countAll<number>().as("count"), eb.fn.min("next_at").as("next_at")])
    .where("next_at", "is not", null)
    .groupBy("sink")
    .execute();
  return rows.map(({ sink, count, next_at: nextAt }) => ({ sink, count: Number(count), nextAtMs: Number(nextAt) }));
}

/** The subject of a value is an account's id, or the target's own key. */
async function memoryOf(db: Executor, watchKey: string, subject: string): Promise<OpenLevel["memory"]> {
  const row = await db
    .selectFrom("targets")
    .select("memory")
    .where("watch_key", "=", watchKey)
    .where((eb) => eb.or([eb("user_id", "=", subject), eb("key", "=", subject)]))
    .where("merged_into", "is", null)
    .where("removed_at", "is", null)
    .executeTakeFirst();
  return row === undefined ? null : fromText(row.memory);
}

export async function changeLevel(db: Executor, { event, sink }: Pick<OpenLevel, "event" | "sink">, change: LevelChange): Promise<void> {
  if (change.kind === "close") {
    await db.deleteFrom("levels").where("event_id", "=", event.id).where("sink", "=", sink).execute();
    return;
  }
  const values = change.kind === "seen" ? { rules: toText(change.rules) } : { repeats: change.repeats, next_at: change.nextAtMs };
  await db.updateTable("levels").set(values).where("event_id", "=", event.id).where("sink", "=", sink).execute();
}
