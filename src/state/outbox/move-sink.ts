/**
 * Hands everything that a sink has in the outbox over to its new name: what waits, messages, timers
 * of groups, what its throttles count, its breaker, dead letters, crossposts, threads, mentions and
 * values that are to be repeated. What the new name has of its own already stays as it is.
 */
import { sql } from "kysely";
import type { MovedSink } from "../../model/outbox.ts";
import { OPEN, WAITING } from "../db/literals.ts";
import { type Executor, transact } from "../db/statement.ts";

/** How many deliveries and messages were handed over; 0 of each when it was done before. */
export function moveSink(db: Executor, move: MovedSink): Promise<number> {
  return transact(db, async (on) => {
    const { from, to } = move;
    await moveKeys(on, move);
    const deliveries = await on
      .updateTable("deliveries")
      .set({ sink: to })
      .where("sink", "=", from)
      // An event goes to a sink once.
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom("deliveries as own")
              .select("own.id")
              .where("own.sink", "=", to)
              .whereRef("own.event_id", "=", "deliveries.event_id"),
          ),
        ),
      )
      .executeTakeFirst();
    const messages = await on
      .updateTable("messages")
      .set({ sink: to })
      .where("sink", "=", from)
      .executeTakeFirst();
    await on.updateTable("crossposts").set({ sink: to }).where("sink", "=", from).execute();
    await on.updateTable("mentions").set({ sink: to }).where("sink", "=", from).execute();
    await moveUnlessOwned(on, "groups", "group_key", move);
    await moveUnlessOwned(on, "threads", "thread_key", move);
    await moveUnlessOwned(on, "levels", "event_id", move);
    const own = await on.selectFrom("sink_health").select("sink").where("sink", "=", to).execute();
    if (own.length === 0)
      await on.updateTable("sink_health").set({ sink: to }).where("sink", "=", from).execute();
    return Number(deliveries.numUpdatedRows) + Number(messages.numUpdatedRows);
  });
}

/** Rows of which a sink has one for each key: what the new name has already stays. */
async function moveUnlessOwned(
  on: Executor,
  table: "groups" | "threads" | "levels",
  key: "group_key" | "thread_key" | "event_id",
  { from, to }: MovedSink,
): Promise<void> {
  const [rows, column] = [sql.table(table), sql.ref(key)];
  const owned = sql`select ${column} from ${rows} where sink = ${to}`;
  await sql`update ${rows} set sink = ${to} where sink = ${from} and ${column} not in (${owned})`.execute(
    on,
  );
}

/**
 * Keys of groups and throttles name their sink; those of groups that are done with matter to
 * nobody.
 */
async function moveKeys(on: Executor, { from, to }: MovedSink): Promise<void> {
  const renamed = (keys: readonly (string | null)[]) =>
    [...new Set(keys)].flatMap((key) => {
      const next = key === null ? null : renamedKey(key, { from, to });
      return key === null || next === null || next === key ? [] : [{ key, next }];
    });
  const waiting = await on
    .selectFrom("deliveries")
    .select(["group_key", "original_group_key"])
    .distinct()
    .where("sink", "=", from)
    .where("state", "=", WAITING)
    .execute();
  for (const { key, next } of renamed(waiting.map((row) => row.group_key)))
    await on
      .updateTable("deliveries")
      .set({ group_key: next })
      .where("sink", "=", from)
      .where("state", "=", WAITING)
      .where("group_key", "=", key)
      .execute();
  for (const { key, next } of renamed(waiting.map((row) => row.original_group_key)))
    await on
      .updateTable("deliveries")
      .set({ original_group_key: next })
      .where("sink", "=", from)
      .where("original_group_key", "=", key)
      .execute();
  const open = await on
    .selectFrom("messages")
    .select("group_key")
    .distinct()
    .where("sink", "=", from)
    .where("state", "=", OPEN)
    .execute();
  for (const { key, next } of renamed(open.map((row) => row.group_key)))
    await on
      .updateTable("messages")
      .set({ group_key: next })
      .where("sink", "=", from)
      .where("group_key", "=", key)
      .execute();
  const groups = await on
    .selectFrom("groups")
    .select("group_key")
    .where("sink", "=", from)
    .execute();
  for (const { key, next } of renamed(groups.map((row) => row.group_key)))
    await on
      .updateTable("groups")
      .set({ group_key: next })
      .where("sink", "=", from)
      .where("group_key", "=", key)
      .execute();
  const threads = await on
    .selectFrom("threads")
    .select("thread_key")
    .where("sink", "=", from)
    .execute();
  for (const { key, next } of renamed(threads.map((row) => row.thread_key)))
    await on
      .updateTable("threads")
      .set({ thread_key: next })
      .where("sink", "=", from)
      .where("thread_key", "=", key)
      .execute();
  for (const table of ["deliveries", "messages"] as const) {
    const keys = await on
      .selectFrom(table)
      .select("throttle_key")
      .distinct()
      .where("sink", "=", from)
      .execute();
    for (const { key, next } of renamed(keys.map((row) => row.throttle_key)))
      await on
        .updateTable(table)
        .set({ throttle_key: next })
        .where("sink", "=", from)
        .where("throttle_key", "=", key)
        .execute();
  }
}

function renamedGroup(key: string, { from, to }: MovedSink): string {
  const [path, sink, ...labels] = JSON.parse(key) as readonly string[];
  return sink === from ? JSON.stringify([path, to, ...labels]) : key;
}

/**
 * The keys of route/route-event.ts: `[path, sink, …]` of a group, `sink:NAME` and `route:PATH:NAME`
 * of a throttle, also as a line of the key of a digest or a thread.
 */
export function renamedKey(key: string, { from, to }: MovedSink): string {
  const renamedLine = (line: string) => {
    if (line.startsWith('["')) return renamedGroup(line, { from, to });
    if (line === `sink:${from}`) return `sink:${to}`;
    return line.startsWith("route:") && line.endsWith(`:${from}`)
      ? `${line.slice(0, -from.length)}${to}`
      : line;
  };
  return key.split("\n").map(renamedLine).join("\n");
}
