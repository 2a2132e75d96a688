/**
 * Reads the dead letters: messages that were given up and neither acknowledged nor sent again, one
 * by one and counted by sink and cause.
 */
import { sql } from "kysely";
import type { ChirpEvent } from "../../model/event.ts";
import type {
  DeadCause,
  DeadGroup,
  DeadLetter,
  DeadSelection,
  UnreportedDead,
} from "../../model/dead-letters.ts";
import { eventOf } from "../items/insert-events.ts";
import { DEAD, MERGED, OPEN } from "../db/literals.ts";
import { type Executor, listStatement, statement } from "../db/statement.ts";

/**
 * Selects dead messages that were not acknowledged, with the conditions of the index. Messages
 * without an alert, such as the announcement of a digest, are left out, because nothing is lost
 * with them.
 */
export function deadMessages(on: Executor, { sinks, messageIds }: DeadSelection = {}) {
  let dead = on
    .selectFrom("messages as m")
    .where("m.state", "=", DEAD)
    .where("m.acknowledged_at", "is", null)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom("deliveries as d")
          .select("d.id")
          // A plain `m.id` would make SQLite read all messages in the order of their ids.
          .where("d.message_id", "=", sql<string>`m.id || ''`)
          .where("d.message_id", "is not", null),
      ),
    );
  if (sinks !== undefined) dead = dead.where("m.sink", "in", listOf(sinks));
  if (messageIds !== undefined) dead = dead.where("m.id", "in", listOf(messageIds));
  return dead.orderBy("m.done_at").orderBy("m.seq");
}

/**
 * Returns the names, or one empty name if there are none, because databases refuse an empty list in
 * SQL.
 */
const listOf = (names: readonly string[]): string[] => (names.length === 0 ? [""] : [...names]);

const eventsOfMessages = listStatement<object, string>()((on, list) =>
  on
    .selectFrom("deliveries as d")
    .innerJoin("events as e", "e.id", "d.event_id")
    .select(["d.id as delivery_id", "d.message_id"])
    .selectAll("e")
    .where("d.message_id", "in", list)
    .where("d.message_id", "is not", null),
);

/** Finds the events that joined an alert in these messages. They share its outcome. */
const eventsJoined = listStatement<object, string>()((on, list) =>
  on
    .selectFrom("deliveries as d")
    .innerJoin("deliveries as j", "j.joined_id", "d.id")
    .innerJoin("events as e", "e.id", "j.event_id")
    .select(["j.id as delivery_id", "d.message_id"])
    .selectAll("e")
    .where("d.message_id", "in", list)
    .where("d.message_id", "is not", null)
    .where("j.joined_id", "is not", null)
    .where("j.state", "=", MERGED),
);

export async function listDead(
  db: Executor,
  selection: DeadSelection,
  limit: number,
): Promise<readonly DeadLetter[]> {
  const rows = await deadMessages(db, selection)
    .select(["m.id", "m.sink", "m.cause", "m.error", "m.done_at", "m.attempts"])
    .limit(limit)
    .execute();
  const ids = rows.map(({ id }) => id);
  const events = new Map<string, ChirpEvent[]>(ids.map((id) => [id, []]));
  const members = [
    ...(await eventsOfMessages(db, ids, {})).rows,
    ...(await eventsJoined(db, ids, {})).rows,
  ];
  for (const { message_id: id, ...event } of members.sort(
    (a, b) => Number(a.delivery_id) - Number(b.delivery_id),
  ))
    events.get(id ?? "")?.push(eventOf(event));
  return rows.map((row) => ({
    messageId: row.id,
    sink: row.sink,
    cause: row.cause as DeadCause,
    error: row.error,
    deadAtMs: Number(row.done_at),
    attempts: row.attempts,
    events: events.get(row.id) ?? [],
  }));
}

const deadColumns = (on: Executor) =>
  deadMessages(on).select(["m.id", "m.sink", "m.cause", "m.error"]);
const deadSince = statement<{ since: number }>()((on, slot) =>
  deadColumns(on).where("m.done_at", ">=", slot("since")),
);
const deadUnreported = statement<object>()((on) =>
  deadColumns(on).where("m.reported_at", "is", null),
);

export const groupDead = async (db: Executor, sinceMs: number): Promise<readonly DeadGroup[]> =>
  groupsOf(db, (await deadSince(db, { since: sinceMs })).rows);

export async function unreportedDead(db: Executor): Promise<readonly UnreportedDead[]> {
  const groups = await groupsOf(db, (await deadUnreported(db, {})).rows);
  return Promise.all(
    groups.map(async (group) => ({ ...group, reportedAtMs: await lastReport(db, group) })),
  );
}

async function groupsOf(
  db: Executor,
  dead: Awaited<ReturnType<typeof deadUnreported>>["rows"],
): Promise<readonly DeadGroup[]> {
  const groups = new Map<
    string,
    { sink: string; cause: DeadCause; error: string; messageIds: string[] }
  >();
  for (const { id, sink, cause: text, error } of dead) {
    const cause = text as DeadCause;
    const ids = groups.get(`${sink}\n${cause}`)?.messageIds ?? [];
    ids.push(id);
    groups.set(`${sink}\n${cause}`, { sink, cause, error, messageIds: ids });
  }
  return Promise.all(
    [...groups.values()].map(async (group) => ({
      ...group,
      alerts: await countAlerts(db, group.messageIds),
    })),
  );
}

const countMembers = listStatement<object, string>()((on, list) =>
  on
    .selectFrom("deliveries")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("message_id", "in", list)
    .where("message_id", "is not", null),
);

const countJoined = listStatement<object, string>()((on, list) =>
  on
    .selectFrom("deliveries as d")
    .innerJoin("deliveries as j", "j.joined_id", "d.id")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("d.message_id", "in", list)
    .where("d.message_id", "is not", null)
    .where("j.joined_id", "is not", null)
    .where("j.state", "=", MERGED),
);

/** Counts the deliveries in these messages and the deliveries that joined them. */
export async function countAlerts(db: Executor, messageIds: readonly string[]): Promise<number> {
  const counted = [
    ...(await countMembers(db, messageIds, {})).rows,
    ...(await countJoined(db, messageIds, {})).rows,
  ];
  return counted.reduce((sum, { count }) => sum + Number(count), 0);
}

const reportedAt = statement<{ sink: string; cause: string }>()((on, slot) =>
  on
    .selectFrom("messages")
    .select((eb) => eb.fn.max("reported_at").as("at"))
    .where("state", "=", DEAD)
    .where("state", "!=", OPEN)
    .where("sink", "=", slot("sink"))
    .where("cause", "=", slot("cause")),
);

/**
 * Returns when the operator was last notified of dead messages of this sink with this cause; null
 * if never. Acknowledged messages count, too, because the operator was notified of them.
 */
async function lastReport(
  db: Executor,
  { sink, cause }: Pick<DeadGroup, "sink" | "cause">,
): Promise<number | null> {
  const [row] = (await reportedAt(db, { sink, cause })).rows;
  return row?.at === null || row?.at === undefined ? null : Number(row.at);
}
