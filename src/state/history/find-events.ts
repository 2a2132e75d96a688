/**
 * Finds past events that match a query, newest first, and examines a bounded part of the table at a
 * time.
 */
import { type RawBuilder, sql } from "kysely";
import type { Labels } from "../../model/event.ts";
import type { EventPage, EventQuery, EventRecord, LabelsPage } from "../../model/history.ts";
import { recordsOf } from "./delivery-history.ts";
import { eventOf } from "../items/insert-events.ts";
import { fromText } from "../db/json-text.ts";
import { type Executor, isOnPostgres } from "../db/statement.ts";

/**
 * The number of rows that one statement examines, and the maximum that is examined for one page
 * unless the query says less.
 */
const AT_ONCE = 2_000;
const MAX_IN_A_PAGE = 20_000;
/** The number of rows that a statement returns if it cannot know which of them match. */
const WHOLE_AT_ONCE = 250;
/**
 * How much further back a search reads than the requested time. Events are numbered in the order of
 * their commits, which differs from the order of their times if the clock was set back.
 */
export const OUT_OF_ORDER_MS = 3_600_000;

export async function findEvents(
  db: Executor,
  query: EventQuery,
  nowMs: number,
): Promise<EventPage> {
  const { first, last } = await bounds(db);
  const records: EventRecord[] = [];
  const newest = Math.min(query.before === undefined ? last : Number(query.before) - 1, last);
  const { mostExamined = MAX_IN_A_PAGE } = query;
  const end = newest - mostExamined;
  for (let to = newest; to >= first; ) {
    if (to <= end) return cut(db, records, to);
    const from = Math.max(first, end + 1, to - AT_ONCE + 1);
    if (await isBefore(db, query, from, to)) break;
    const { found, examinedFrom } = await matching(db, query, { from, to, nowMs });
    for (const { seq, ...record } of found) {
      if (records.length === query.limit) return cut(db, records, seq);
      records.push(record);
    }
    to = examinedFrom - 1;
  }
  return { events: records, next: null };
}

/** Returns a page whose search goes on at the event with the number `last`. */
async function cut(db: Executor, events: readonly EventRecord[], last: number): Promise<EventPage> {
  const examined = await db
    .selectFrom("events")
    .select("detected_at")
    .where("seq", ">", last)
    .orderBy("seq")
    .limit(1)
    .executeTakeFirst();
  return {
    ...{ events, next: String(last + 1) },
    ...(examined === undefined ? {} : { searchedToMs: Number(examined.detected_at) }),
  };
}

/**
 * Returns the first and the last number. SQLite would scan the whole table if one statement asked
 * for both.
 */
async function bounds(db: Executor): Promise<{ readonly first: number; readonly last: number }> {
  const seqs = db.selectFrom("events");
  const oldest = await seqs.select((eb) => eb.fn.min("seq").as("seq")).executeTakeFirst();
  const newest = await seqs.select((eb) => eb.fn.max("seq").as("seq")).executeTakeFirst();
  return { first: Number(oldest?.seq ?? 1), last: Number(newest?.seq ?? 0) };
}

/**
 * Whether everything in this part of the table, and therefore in all older parts, was found before
 * the wanted time.
 */
async function isBefore(
  db: Executor,
  { sinceMs }: EventQuery,
  from: number,
  to: number,
): Promise<boolean> {
  if (sinceMs === undefined) return false;
  const row = await db
    .selectFrom("events")
    .select((eb) => eb.fn.max("detected_at").as("newest"))
    .where("seq", ">=", from)
    .where("seq", "<=", to)
    .executeTakeFirst();
  return row !== undefined && row.newest !== null && Number(row.newest) < sinceMs - OUT_OF_ORDER_MS;
}

interface Piece {
  readonly from: number;
  readonly to: number;
  readonly nowMs: number;
}

/**
 * Whether every row that is read matches, so that reading more than the wanted number is pointless.
 */
const isExact = ({ text, state }: EventQuery): boolean => text === undefined && state === undefined;

/** Returns what matches in a piece, and from where on the piece was examined: all of it, or a part. */
async function matching(
  db: Executor,
  query: EventQuery,
  { from, to, nowMs }: Piece,
): Promise<{ readonly found: readonly (EventRecord & { seq: number })[]; examinedFrom: number }> {
  const { sinceMs, untilMs, watches, onlyAlerts, author, text, state, sink, isAcknowledged } =
    query;
  let select = db.selectFrom("events").selectAll().where("seq", ">=", from).where("seq", "<=", to);
  if (sinceMs !== undefined) select = select.where("detected_at", ">=", sinceMs);
  if (untilMs !== undefined) select = select.where("detected_at", "<", untilMs);
  if (watches !== undefined) select = select.where("watch", "in", watches);
  if (onlyAlerts === true) select = select.where("watch_type", "!=", "daemon");
  if (author !== undefined)
    select = select.where((eb) =>
      eb.or([eb("handle", "=", author.toLowerCase()), eb("user_id", "=", author)]),
    );
  if (text !== undefined) select = select.where(bodySays(db, text));
  for (const [kind, isMarked] of [
    ["acknowledged", isAcknowledged],
    ["not_relevant", query.isNotRelevant],
  ] as const)
    if (isMarked !== undefined)
      select = select.where((eb) => {
        const marked = eb.exists(
          eb
            .selectFrom("event_marks as a")
            .select("a.event_id")
            .whereRef("a.event_id", "=", "events.id")
            .where("a.kind", "=", kind)
            .where("a.undone_at", "is", null),
        );
        return isMarked ? marked : eb.not(marked);
      });
  if (sink !== undefined)
    select = select.where((eb) =>
      eb.exists(
        eb
          .selectFrom("deliveries as s")
          .select("s.id")
          .whereRef("s.event_id", "=", "events.id")
          .where("s.sink", "=", sink),
      ),
    );
  const most = isExact(query) ? query.limit + 1 : WHOLE_AT_ONCE;
  const rows = await select.orderBy("seq", "desc").limit(most).execute();
  const read = rows
    .map((row) => ({ seq: Number(row.seq), event: eventOf(row) }))
    .filter(({ event }) => text === undefined || says(event.body, text))
    // Their deliveries are read next, which takes longer than to see that a text occurs.
    .slice(0, state === undefined ? query.limit + 1 : undefined);
  const records = await recordsOf(
    db,
    read.map(({ event }) => event),
    nowMs,
  );
  const found = records
    .map((record, index) => ({ ...record, seq: read[index]?.seq ?? 0 }))
    .filter(
      (record) =>
        state === undefined ||
        record.deliveries.some(
          (delivery) => delivery.state === state && (sink === undefined || delivery.sink === sink),
        ),
    );
  return { found, examinedFrom: rows.length < most ? from : Number(rows.at(-1)?.seq ?? from) };
}

/**
 * Whether the body contains the text. Only on Postgres does `like` distinguish cases; on SQLite,
 * `lower` would copy each body, which takes as long as searching it.
 */
function bodySays(db: Executor, text: string): RawBuilder<boolean> {
  const body = isOnPostgres(db) ? sql`lower(${sql.ref("body")})` : sql.ref("body");
  return sql<boolean>`${body} like ${likePattern(text)} escape '!'`;
}

/**
 * Returns a `like` pattern for the body, which is JSON. The pattern also matches names of fields,
 * so `says` checks the rows that are found with it.
 */
const likePattern = (text: string): string =>
  `%${JSON.stringify(text.toLowerCase()).slice(1, -1).replace(/[!%_]/g, "!$&")}%`;

/**
 * Whether any text inside the value contains the given text. Upper and lower case count as equal.
 */
function says(value: unknown, text: string): boolean {
  if (typeof value === "string") return value.toLowerCase().includes(text.toLowerCase());
  return (
    typeof value === "object" &&
    value !== null &&
    Object.values(value).some((inner) => says(inner, text))
  );
}

/**
 * The number of rows that one call of `labelsSince` reads. It can be large, because these rows are
 * small.
 */
const LABELS_AT_ONCE = 5_000;

/** Returns the labels of events without their bodies, for counting how many events match. */
export async function labelsSince(
  db: Executor,
  sinceMs: number,
  before?: string,
): Promise<LabelsPage> {
  const { first, last } = await bounds(db);
  const to = before === undefined ? last : Number(before) - 1;
  const from = Math.max(first, to - LABELS_AT_ONCE + 1);
  if (to < first || (await isBefore(db, { sinceMs, limit: 0 }, from, to)))
    return { events: [], next: null };
  const rows = await db
    .selectFrom("events")
    .select(["watch_type", "labels"])
    .where("seq", ">=", from)
    .where("seq", "<=", to)
    .where("detected_at", ">=", sinceMs)
    .execute();
  const events = rows.map(({ watch_type: watchType, labels }) => ({
    watchType,
    labels: fromText<Labels>(labels),
  }));
  return { events, next: from > first ? String(from) : null };
}
