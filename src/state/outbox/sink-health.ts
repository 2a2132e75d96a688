/** Stores the breakers of the sinks, and counts the alerts and messages of each sink. */
import type { OutboxStats, SinkHealth } from "../../model/outbox.ts";
import { sql } from "kysely";
import { type Executor, isOnPostgres, statement } from "../db/statement.ts";
import { DEAD, OPEN, SENT, WAITING } from "../db/literals.ts";

const allHealth = statement<object>()((on) =>
  on.selectFrom("sink_health").selectAll().orderBy("sink"),
);

export async function loadSinkHealth(db: Executor): Promise<readonly SinkHealth[]> {
  const { rows } = await allHealth(db, {});
  return rows.map((row) => ({
    sink: row.sink,
    breaker: row.breaker,
    cause: row.cause,
    reason: row.reason,
    hint: row.hint,
    openedAtMs: row.opened_at,
    probeAtMs: row.probe_at,
    goneFrom: row.gone_from,
    isReported: row.is_reported === 1,
    reportedAtMs: row.reported_at,
  }));
}

export async function saveSinkHealth(db: Executor, health: SinkHealth): Promise<void> {
  const {
    breaker,
    cause,
    reason,
    hint,
    openedAtMs,
    probeAtMs,
    goneFrom,
    isReported,
    reportedAtMs,
  } = health;
  const times = { opened_at: openedAtMs, probe_at: probeAtMs, reported_at: reportedAtMs };
  const state = {
    breaker,
    cause,
    reason,
    hint,
    is_reported: isReported ? 1 : 0,
    gone_from: goneFrom,
    ...times,
  };
  await db
    .insertInto("sink_health")
    .values({ sink: health.sink, ...state })
    .onConflict((conflict) => conflict.column("sink").doUpdateSet(state))
    .execute();
}

/**
 * Returns the first sink after a name that has messages which were sent or given up; undefined if
 * there is none. The index on them begins with the sink, so this reads one entry.
 */
export const sinkAfter = async (db: Executor, after: string): Promise<string | undefined> =>
  (await nextSink(db, { after })).rows[0]?.sink;

const nextSink = statement<{ after: string }>()((on, slot) =>
  on
    .selectFrom("messages")
    .select("sink")
    .where("state", "!=", OPEN)
    .where("sink", ">", slot("after"))
    .orderBy("sink")
    .limit(1),
);

/** Counts in a range of the index, which takes half as long as grouping all of it. */
const countDone = (on: Executor, sink: string) =>
  on
    .selectFrom("messages")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("state", "!=", OPEN)
    .where("sink", "=", sink);
const countSent = statement<{ sink: string }>()((on, slot) =>
  countDone(on, slot("sink")).where("state", "=", SENT),
);
const countDead = statement<{ sink: string }>()((on, slot) =>
  countDone(on, slot("sink")).where("state", "=", DEAD),
);

const newestSink = statement<object>()((on) => {
  const rowid = sql<number>`rowid`;
  return on
    .selectFrom("messages")
    .select("sink")
    .where(rowid, "=", (eb) =>
      eb.selectFrom("messages").select((of) => of.fn.max<number>(rowid).as("last")),
    );
});

/**
 * Counts what was sent to a sink by taking everything else from all messages. SQLite knows how many
 * rows a table has after reading a twentieth of it.
 */
const countRest = statement<{ sink: string }>()((on, slot) =>
  on.selectNoFrom((eb) => {
    const all = eb.selectFrom("messages").select((of) => of.fn.countAll<number>().as("count"));
    const done = all.where("state", "!=", OPEN);
    const open = all.where("state", "=", OPEN);
    const below = done.where("sink", "<", slot("sink"));
    const above = done.where("sink", ">", slot("sink"));
    const dead = done.where("sink", "=", slot("sink")).where("state", "=", DEAD);
    return sql<number>`${all} - ${open} - ${below} - ${above} - ${dead}`.as("count");
  }),
);

const countUnsealed = statement<object>()((on) =>
  on
    .selectFrom("deliveries")
    .select([
      "sink",
      (eb) => eb.fn.countAll<number>().as("count"),
      (eb) => eb.fn.min("created_at").as("oldest"),
    ])
    .where("state", "=", WAITING)
    .groupBy("sink"),
);
const countOpen = statement<object>()((on) =>
  on
    .selectFrom("messages")
    .select([
      "sink",
      (eb) => eb.fn.countAll<number>().as("count"),
      (eb) => eb.fn.min("sealed_at").as("oldest"),
    ])
    .where("state", "=", OPEN)
    .groupBy("sink"),
);

/**
 * Returns counts for each sink that has deliveries or messages: how many of them wait (deliveries
 * that are not sealed, messages that are not done), since when the oldest has waited, and how many
 * messages were sent or given up.
 */
export async function outboxStats(db: Executor): Promise<readonly OutboxStats[]> {
  const waiting = [...(await countUnsealed(db, {})).rows, ...(await countOpen(db, {})).rows];
  const stats = new Map<string, Stats>();
  const of = (sink: string) =>
    stats.get(sink) ??
    (stats.set(sink, { sink, waiting: 0, oldestAtMs: null, sent: 0, dead: 0 }).get(sink) as Stats);
  for (const row of waiting) addWaiting(of(row.sink), row);
  // This sink probably has the most messages. If it has not, counting takes longer.
  const [most] = isOnPostgres(db) ? [] : (await newestSink(db, {})).rows;
  for (let sink = await sinkAfter(db, ""); sink !== undefined; sink = await sinkAfter(db, sink)) {
    const [dead] = (await countDead(db, { sink })).rows;
    const [sent] = (await (sink === most?.sink ? countRest : countSent)(db, { sink })).rows;
    of(sink).dead = Number(dead?.count ?? 0);
    of(sink).sent = Number(sent?.count ?? 0);
  }
  return [...stats.values()].sort((a, b) => (a.sink < b.sink ? -1 : 1));
}

interface Stats {
  sink: string;
  waiting: number;
  oldestAtMs: number | null;
  sent: number;
  dead: number;
}

function addWaiting(stats: Stats, row: { count: number; oldest: number }): void {
  stats.waiting += Number(row.count);
  stats.oldestAtMs = Math.min(stats.oldestAtMs ?? Number.POSITIVE_INFINITY, Number(row.oldest));
}
