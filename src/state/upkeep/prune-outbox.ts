/**
 * Deletes old messages, deliveries and events, with the rows that belong to them. `prune.ts` deletes
 * the rest.
 */
import { sql } from "kysely";
import { OPEN, WAITING } from "../db/literals.ts";
import type { MessagesTable } from "../db/outbox-tables.ts";
import type { Executor } from "../db/statement.ts";
import { sinkAfter } from "../outbox/sink-health.ts";
import { type Pause, ROWS_PER_PAGE, repeatPages, walkTable } from "./pages.ts";

/** The rows to delete: those from before `before`, in epoch ms. */
export interface PruneQuery {
  readonly before: number;
  readonly nowMs: number;
  readonly pause: Pause;
}

/**
 * Deletes messages that were sent or given up. The index on them begins with the sink, so each sink
 * and state is a range of its own.
 */
export async function forgetMessages(
  db: Executor,
  { before, pause }: Omit<PruneQuery, "nowMs">,
): Promise<void> {
  for (let sink = await sinkAfter(db, ""); sink !== undefined; sink = await sinkAfter(db, sink))
    for (const state of ["sent", "dead"] as const) {
      const range = { sink, state, before };
      await repeatPages(() => forgetMessagesOf(db, range), pause);
    }
}

interface MessageRange extends Pick<MessagesTable, "sink" | "state"> {
  readonly before: number;
}

async function forgetMessagesOf(db: Executor, range: MessageRange): Promise<bigint> {
  const { sink, state, before } = range;
  const old = db
    .selectFrom("messages")
    .select("id")
    .where("state", "!=", OPEN)
    .where("sink", "=", sink)
    .where("state", "=", sql.lit(state))
    .where("done_at", "<", before)
    // Further messages of the thread are still posted below this message.
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("threads as t")
            .select("t.sink")
            .whereRef("t.message_id", "=", "messages.id"),
        ),
      ),
    )
    .limit(ROWS_PER_PAGE);
  return (await db.deleteFrom("messages").where("id", "in", old).executeTakeFirst()).numDeletedRows;
}

/** The tables of notes about messages, with the column of the time that decides. */
const MESSAGE_NOTES = { crossposts: "done_at", mentions: "mentioned_at", attempts: "at" } as const;

/** Deletes notes about messages by their own time, whether the message is stored or not. */
export const forgetMessageNotes = (
  db: Executor,
  table: keyof typeof MESSAGE_NOTES,
  { before, pause }: Omit<PruneQuery, "nowMs">,
): Promise<void> => {
  const time = sql.ref<number | null>(MESSAGE_NOTES[table]);
  return walkTable(
    "",
    {
      async read(after) {
        const rows = await db
          .selectFrom(table)
          .select(["message_id", sql<number | null>`min(${time})`.as("first_at")])
          .where("message_id", ">", after)
          .groupBy("message_id")
          .orderBy("message_id")
          .limit(ROWS_PER_PAGE)
          .execute();
        return rows.map(({ message_id, first_at }) => ({
          key: message_id,
          isOld: first_at !== null && first_at < before,
        }));
      },
      forget: (after, last) =>
        db
          .deleteFrom(table)
          .where("message_id", ">", after)
          .where("message_id", "<=", last)
          .where(time, "<", before)
          .execute(),
    },
    pause,
  );
};

/**
 * Deletes old deliveries, except those that wait or whose message is still stored. A page with rows
 * from the future, which were written while the clock was ahead, does not end the walk.
 */
export const forgetDeliveries = (
  db: Executor,
  { before, nowMs, pause }: PruneQuery,
): Promise<void> =>
  walkTable(
    0,
    {
      endsAtNewRows: true,
      async read(after) {
        const rows = await db
          .selectFrom("deliveries")
          .select(["id", "created_at"])
          .where("id", ">", after)
          .orderBy("id")
          .limit(ROWS_PER_PAGE)
          .execute();
        return rows.map(({ id, created_at }) => ({
          key: id,
          isOld: created_at < before || created_at > nowMs,
        }));
      },
      forget: (after, last) =>
        db
          .deleteFrom("deliveries")
          .where("id", ">", after)
          .where("id", "<=", last)
          .where("created_at", "<", before)
          .where("state", "!=", WAITING)
          .where((eb) =>
            eb.not(
              eb.exists(
                eb
                  .selectFrom("messages")
                  .select("messages.id")
                  .whereRef("messages.id", "=", "deliveries.message_id"),
              ),
            ),
          )
          .execute(),
    },
    pause,
  );

/** Deletes what belongs to a delivery or a message that is deleted. */
export async function forgetSentNotes(db: Executor, pause: Pause): Promise<void> {
  for (const table of ["edits", "escalations"] as const)
    await walkTable(
      0,
      {
        async read(after) {
          const rows = await db
            .selectFrom(table)
            .leftJoin("deliveries as d", "d.id", "delivery_id")
            .select(["delivery_id", "d.id as found"])
            .where("delivery_id", ">", after)
            .orderBy("delivery_id")
            .limit(ROWS_PER_PAGE)
            .execute();
          return rows.map((row) => ({ key: row.delivery_id, isOld: row.found === null }));
        },
        forget: (after, last) =>
          db
            .deleteFrom(table)
            .where("delivery_id", ">", after)
            .where("delivery_id", "<=", last)
            .where("delivery_id", "not in", db.selectFrom("deliveries").select("id"))
            .execute(),
      },
      pause,
    );
  await walkTable(
    "",
    {
      async read(after) {
        const rows = await db
          .selectFrom("message_footers")
          .leftJoin("messages as m", "m.id", "message_id")
          .select(["message_id", "m.id as found"])
          .where("message_id", ">", after)
          .orderBy("message_id")
          .limit(ROWS_PER_PAGE)
          .execute();
        return rows.map((row) => ({ key: row.message_id, isOld: row.found === null }));
      },
      forget: (after, last) =>
        db
          .deleteFrom("message_footers")
          .where("message_id", ">", after)
          .where("message_id", "<=", last)
          .where("message_id", "not in", db.selectFrom("messages").select("id"))
          .execute(),
    },
    pause,
  );
}

/** Deletes old events without deliveries and without an enrichment that waits. */
export const forgetEvents = (db: Executor, { before, nowMs, pause }: PruneQuery): Promise<void> =>
  walkTable(
    0,
    {
      endsAtNewRows: true,
      async read(after) {
        const rows = await db
          .selectFrom("events")
          .select(["seq", "detected_at"])
          .where("seq", ">", after)
          .orderBy("seq")
          .limit(ROWS_PER_PAGE)
          .execute();
        return rows.map(({ seq, detected_at }) => ({
          key: seq,
          isOld: detected_at < before || detected_at > nowMs,
        }));
      },
      forget: (after, last) => forgetEventsBetween(db, { after, last, before }),
    },
    pause,
  );

const forgetEventsBetween = (
  db: Executor,
  range: { readonly after: number; readonly last: number; readonly before: number },
): Promise<unknown> =>
  db
    .deleteFrom("events")
    .where("seq", ">", range.after)
    .where("seq", "<=", range.last)
    .where("detected_at", "<", range.before)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("deliveries")
            .select("deliveries.id")
            .whereRef("deliveries.event_id", "=", "events.id"),
        ),
      ),
    )
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("enrichments")
            .select("enrichments.seq")
            .whereRef("enrichments.event_id", "=", "events.id")
            .where("enrichments.state", "=", WAITING),
        ),
      ),
    )
    .execute();

/** Deletes what belongs to an event that is deleted. */
export async function forgetEventNotes(db: Executor, pause: Pause): Promise<void> {
  for (const table of ["levels", "event_marks"] as const)
    await walkTable(
      "",
      {
        async read(after) {
          const rows = await db
            .selectFrom(table)
            .leftJoin("events as e", "e.id", "event_id")
            .select(["event_id", "e.id as found"])
            .distinct()
            .where("event_id", ">", after)
            .orderBy("event_id")
            .limit(ROWS_PER_PAGE)
            .execute();
          return rows.map((row) => ({ key: row.event_id, isOld: row.found === null }));
        },
        forget: (after, last) =>
          db
            .deleteFrom(table)
            .where("event_id", ">", after)
            .where("event_id", "<=", last)
            .where("event_id", "not in", db.selectFrom("events").select("id"))
            .execute(),
      },
      pause,
    );
}

/** Deletes old enrichments that do not wait. */
export const forgetEnrichments = (
  db: Executor,
  { before, pause }: Omit<PruneQuery, "nowMs">,
): Promise<void> =>
  walkTable(
    "",
    {
      async read(after) {
        const rows = await db
          .selectFrom("enrichments")
          .select(["event_id", "state", "created_at"])
          .where("event_id", ">", after)
          .orderBy("event_id")
          .limit(ROWS_PER_PAGE)
          .execute();
        return rows.map(({ event_id, state, created_at }) => ({
          key: event_id,
          isOld: state !== "waiting" && created_at < before,
        }));
      },
      forget: (after, last) =>
        db
          .deleteFrom("enrichments")
          .where("event_id", ">", after)
          .where("event_id", "<=", last)
          .where("state", "!=", WAITING)
          .where("created_at", "<", before)
          .execute(),
    },
    pause,
  );
