/** Inserts events. An event whose id is already in the database is not changed. */
import type { Selectable } from "kysely";
import type { ChirpEvent } from "../../model/event.ts";
import type { JsonObject } from "../../model/json.ts";
import { fromText, type Texts, toText, toTextWith } from "../db/json-text.ts";
import { nextNumbers } from "../db/sequence.ts";
import { type Executor, insertRows, listStatement } from "../db/statement.ts";
import type { EventsTable } from "../db/tables.ts";

const COLUMNS = [
  "id",
  "seq",
  "type",
  "watch_key",
  "watch",
  "watch_type",
  "subject",
  "handle",
  "user_id",
  "labels",
  "body",
  "occurred_at",
  "detected_at",
] as const;

/** Inserts the events whose ids are not stored yet. Events are deduplicated nowhere else. */
const insertNew = insertRows("events", COLUMNS, (insert) =>
  insert.onConflict((conflict) => conflict.column("id").doNothing()),
);

/** Finds which of the ids this commit inserted, by their sequence numbers. */
const insertedSince = listStatement<{ first: number }, string>()((on, list, slot) =>
  on.selectFrom("events").select("id").where("id", "in", list).where("seq", ">=", slot("first")),
);

const NO_TEXTS: Texts = new Map();

/**
 * Inserts events. Returns the ids of those that were inserted, in no particular order. `texts` are
 * those of objects in their bodies, as far as they are known.
 */
export async function insertEvents(
  on: Executor,
  events: readonly ChirpEvent[],
  texts = NO_TEXTS,
): Promise<ReadonlySet<string>> {
  if (events.length === 0) return new Set();
  const numberOf = await nextNumbers(on, "event", events.length);
  const { changed } = await insertNew(
    on,
    events.map((event, i) => eventRow(event, numberOf(i), texts)),
  );
  const ids = events.map(({ id }) => id);
  if (changed === ids.length) return new Set(ids);
  const { rows } = await insertedSince(on, ids, { first: numberOf(0) });
  return new Set(rows.map(({ id }) => id));
}

function eventRow(event: ChirpEvent, seq: number, texts: Texts): EventsTable {
  const user = event.body.tweet?.user ?? event.body.user;
  return {
    id: event.id,
    seq,
    type: event.type,
    watch_key: event.watchKey,
    watch: event.watch,
    watch_type: event.watchType,
    subject: event.subject,
    handle: user?.username.toLowerCase() ?? null,
    user_id: user?.id ?? null,
    labels: toText(event.labels),
    body: toTextWith(event.body as JsonObject, texts),
    occurred_at: event.occurredAtMs,
    detected_at: event.detectedAtMs,
  };
}

/** Returns an event as it was created. */
export const eventOf = (
  row: Omit<Selectable<EventsTable>, "seq" | "handle" | "user_id">,
): ChirpEvent => ({
  id: row.id,
  type: row.type,
  watchKey: row.watch_key,
  watch: row.watch,
  watchType: row.watch_type,
  subject: row.subject,
  labels: fromText(row.labels),
  body: fromText(row.body),
  occurredAtMs: Number(row.occurred_at),
  detectedAtMs: Number(row.detected_at),
});
