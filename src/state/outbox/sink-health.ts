/** Stores the breakers of the sinks, and counts the alerts and messages of each sink. */
import type { OutboxStats, SinkHealth } from "../../model/outbox.ts";
import type { Executor } from "../db/statement.ts";
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
  const done = await db
    .selectFrom("messages")
    .select(["sink", "state", (eb) => eb.fn.countAll<number>().as("count")])
    .where("state", "!=", OPEN)
    .groupBy(["sink", "state"])
    .execute();
  const stats = new Map<string, Stats>();
  const of = (sink: string) =>
    stats.get(sink) ??
    (stats.set(sink, { sink, waiting: 0, oldestAtMs: null, sent: 0, dead: 0 }).get(sink) as Stats);
  for (const row of [...waiting, ...open]) addWaiting(of(row.sink), row);
  for (const row of done) if (row.state !== "open") of(row.sink)[row.state] += Number(row.count);
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
