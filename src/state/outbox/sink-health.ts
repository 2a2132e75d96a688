/** Stores the breakers of the sinks, and counts the alerts and messages of each sink. */
import type { OutboxStats, SinkHealth } from "../../model/outbox.ts";
import { type Executor, statement } from "../db/statement.ts";
import { OPEN, WAITING } from "../db/literals.ts";

export async function loadSinkHealth(db: Executor): Promise<readonly SinkHealth[]> {
  const rows = await db.selectFrom("sink_health").selectAll().orderBy("sink").execute();
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

const nextSink = statement<{ after: string }>()((on, slot) =>
  on
    .selectFrom("messages")
    .select((eb) => eb.fn.min<string | null>("sink").as("sink"))
    .where("state", "!=", OPEN)
    .where("sink", ">", slot("after")),
);

/**
 * Returns the first sink after a name that has messages which were sent or given up; undefined if
 * there is none. The index on them begins with the sink, so this reads one entry.
 */
export const sinkAfter = async (db: Executor, after: string): Promise<string | undefined> =>
  (await nextSink(db, { after })).rows[0]?.sink ?? undefined;

/** Counting in one range of the index takes half as long as grouping all of it. */
const countDone = statement<{ sink: string; state: "sent" | "dead" }>()((on, slot) =>
  on
    .selectFrom("messages")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("state", "!=", OPEN)
    .where("sink", "=", slot("sink"))
    .where("state", "=", slot("state")),
);

/**
 * Returns counts for each sink that has deliveries or messages: how many of them wait (deliveries
 * that are not sealed, messages that are not done), since when the oldest has waited, and how many
 * messages were sent or given up.
 */
export async function outboxStats(db: Executor): Promise<readonly OutboxStats[]> {
  const waiting = await db
    .selectFrom("deliveries")
    .select([
      "sink",
      (eb) => eb.fn.countAll<number>().as("count"),
      (eb) => eb.fn.min("created_at").as("oldest"),
    ])
    .where("state", "=", WAITING)
    .groupBy("sink")
    .execute();
  const open = await db
    .selectFrom("messages")
    .select([
      "sink",
      (eb) => eb.fn.countAll<number>().as("count"),
      (eb) => eb.fn.min("sealed_at").as("oldest"),
    ])
    .where("state", "=", OPEN)
    .groupBy("sink")
    .execute();
  const stats = new Map<string, Stats>();
  const of = (sink: string) =>
    stats.get(sink) ??
    (stats.set(sink, { sink, waiting: 0, oldestAtMs: null, sent: 0, dead: 0 }).get(sink) as Stats);
  for (const row of [...waiting, ...open]) addWaiting(of(row.sink), row);
  for (let sink = await sinkAfter(db, ""); sink !== undefined; sink = await sinkAfter(db, sink))
    for (const state of ["sent", "dead"] as const) {
      const [done] = (await countDone(db, { sink, state })).rows;
      of(sink)[state] = Number(done?.count ?? 0);
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
