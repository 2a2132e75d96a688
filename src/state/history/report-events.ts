/**
 * Returns the events that a report counts, newest first, reading a bounded part of the table at a
 * time.
 */
import type { EventRecord } from "../../model/history.ts";
import type { EventHeads } from "../../model/report.ts";
import { type Executor, listStatement, statement } from "../db/statement.ts";
import { eventOf } from "../items/insert-events.ts";
import { recordsOf } from "./delivery-history.ts";
import { OUT_OF_ORDER_MS } from "./find-events.ts";

/**
 * The number of rows that one statement reads. It is small, because these rows contain the bodies
 * of events.
 */
const HEADS_AT_ONCE = 100;

const newest = statement<{ before: number; limit: number }>()((on, slot) =>
  on
    .selectFrom("events")
    .select(["seq", "id", "watch", "watch_type", "detected_at"])
    .where("seq", "<", slot("before"))
    .orderBy("seq", "desc")
    .limit(slot("limit")),
);

export async function eventHeads(
  db: Executor,
  sinceMs: number,
  before?: string,
): Promise<EventHeads> {
  const from = before === undefined ? Number.MAX_SAFE_INTEGER : Number(before);
  const { rows } = await newest(db, { before: from, limit: HEADS_AT_ONCE });
  const heads = rows.map((row) => ({
    id: row.id,
    watch: row.watch,
    watchType: row.watch_type,
    detectedAtMs: Number(row.detected_at),
  }));
  // The rows are in the order of their commits, which differs from the order of their times if the
  // clock was set back.
  const isOver = heads.every(({ detectedAtMs }) => detectedAtMs < sinceMs - OUT_OF_ORDER_MS);
  const last = rows.at(-1);
  return { heads, next: isOver || last === undefined ? null : String(last.seq) };
}

const byId = listStatement<object, string>()((on, list) =>
  on.selectFrom("events").selectAll().where("id", "in", list),
);

/** Returns the events in the order of the ids, without those that are not stored. */
export async function eventRecords(
  db: Executor,
  ids: readonly string[],
  nowMs: number,
): Promise<readonly EventRecord[]> {
  const found = new Map((await byId(db, ids, {})).rows.map((row) => [row.id, eventOf(row)]));
  return recordsOf(
    db,
    ids.flatMap((id) => found.get(id) ?? []),
    nowMs,
  );
}
