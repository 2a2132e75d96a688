/**
 * Moves everything that a sink has in the outbox to its new name: waiting deliveries, messages,
 * timers of groups, counts of throttles, the breaker, dead letters, crossposts, threads, mentions,
 * lines below messages, steps of escalations and values that are to be repeated. Whatever already exists under the new name is kept.
 */
import { sql } from "kysely";
import type { PlannedStep, TakenStep } from "../../model/escalation.ts";
import type { MovedSink } from "../../model/outbox.ts";
import { fromText, toText } from "../db/json-text.ts";
import { OPEN, WAITING } from "../db/literals.ts";
import { type Executor, transact } from "../db/statement.ts";

/**
 * Moves a sink. Resolves to the number of deliveries and messages that were moved; 0 if the sink
 * was moved before.
 */
export function moveSink(db: Executor, move: MovedSink): Promise<number> {
  return transact(db, async (on) => {
    const { from, to } = move;
    await moveKeys(on, move);
    const deliveries = await on
      .updateTable("deliveries")
      .set({ sink: to })
      .where("sink", "=", from)
      // An event goes to a sink only once.
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
    await on.updateTable("message_footers").set({ sink: to }).where("sink", "=", from).execute();
    await moveSteps(on, move);
    await moveSilences(on, move);
    await moveUnlessOwned(on, "groups", "group_key", move);
    await moveUnlessOwned(on, "threads", "thread_key", move);
    await moveUnlessOwned(on, "levels", "event_id", move);
    const own = await on.selectFrom("sink_health").select("sink").where("sink", "=", to).execute();
    if (own.length === 0)
      await on.updateTable("sink_health").set({ sink: to }).where("sink", "=", from).execute();
    return Number(deliveries.numUpdatedRows) + Number(messages.numUpdatedRows);
  });
}

/** Renames the sink in the silences and snoozes that name it. */
async function moveSilences(on: Executor, { from, to }: MovedSink): Promise<void> {
  const rows = await on
    .selectFrom("silences")
    .select(["id", "sinks"])
    .where("sinks", "is not", null)
    .execute();
  for (const { id, sinks } of rows) {
    const names = fromText<readonly string[]>(sinks ?? "[]");
    if (!names.includes(from)) continue;
    const renamed = toText(names.map((name) => (name === from ? to : name)));
    await on.updateTable("silences").set({ sinks: renamed }).where("id", "=", id).execute();
  }
}

/** Renames the sink in the steps of escalations, so that none is sent under both names. */
async function moveSteps(on: Executor, { from, to }: MovedSink): Promise<void> {
  const naming = `%"sink":${JSON.stringify(from)}%`;
  const rows = await on
    .selectFrom("escalations")
    .select(["delivery_id", "plan", "taken"])
    .where((eb) => eb.or([eb("plan", "like", naming), eb("taken", "like", naming)]))
    .execute();
  const renamed = <S extends PlannedStep>(steps: readonly S[]): readonly S[] =>
    steps.map((step) => (step.sink === from ? { ...step, sink: to } : step));
  for (const { delivery_id: id, plan, taken } of rows) {
    const planned = plan === null ? null : fromText<readonly PlannedStep[]>(plan);
    const done = fromText<readonly TakenStep[]>(taken);
    await on
      .updateTable("escalations")
      .set((eb) => ({
        plan: planned === null ? null : toText(renamed(planned)),
        taken: toText(renamed(done)),
        revision: eb("revision", "+", 1),
      }))
      .where("delivery_id", "=", id)
      .execute();
  }
}

/**
 * Moves the rows of a table that has one row per sink and key. A row stays if the new name already
 * has a row with its key.
 */
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
 * The columns with keys that contain the sink's name. Keys of rows in another state than the given
 * one are never read again, so they stay as they are.
 */
const KEYS = [
  { table: "deliveries", column: "group_key", state: WAITING },
  { table: "deliveries", column: "original_group_key" },
  { table: "messages", column: "group_key", state: OPEN },
  { table: "groups", column: "group_key" },
  { table: "threads", column: "thread_key" },
  { table: "deliveries", column: "throttle_key" },
  { table: "messages", column: "throttle_key" },
] as const;

async function moveKeys(on: Executor, move: MovedSink): Promise<void> {
  for (const { table, column, ...rest } of KEYS) {
    const [rows, key] = [sql.table(table), sql.ref(column)];
    const own =
      "state" in rest
        ? sql`sink = ${move.from} and state = ${rest.state}`
        : sql`sink = ${move.from}`;
    const found = await sql<{ key: string | null }>`
      select distinct ${key} as key from ${rows} where ${own}`.execute(on);
    for (const { key: before } of found.rows) {
      const after = before === null ? null : renamedKey(before, move);
      if (after !== before)
        await sql`update ${rows} set ${key} = ${after} where ${own} and ${key} = ${before}`.execute(
          on,
        );
    }
  }
}

function renamedGroup(key: string, { from, to }: MovedSink): string {
  const [path, sink, ...labels] = JSON.parse(key) as readonly string[];
  return sink === from ? JSON.stringify([path, to, ...labels]) : key;
}

/**
 * Replaces the sink's name in a key of route/route-event.ts: `[path, sink, …]` for a group,
 * `sink:NAME` and `route:PATH:NAME` for a throttle. Such a key may also be a line of the key of a
 * digest or thread.
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
