/**
 * Stores the events that wait for their enrichment, and creates the deliveries of enriched events
 * in one transaction.
 */
import type {
  DueEnrichments,
  EnrichedEvent,
  EnrichmentBacklog,
  EnrichmentRound,
  WaitingEvent,
} from "../../model/enrichment.ts";
import type { JsonObject } from "../../model/json.ts";
import type { NewEnrichment } from "../../model/poll-store.ts";
import { fromText, toText } from "../db/json-text.ts";
import { WAITING } from "../db/literals.ts";
import { scopeOfWatch } from "../db/scopes.ts";
import { nextNumbers } from "../db/sequence.ts";
import { type Executor, insertRows, listStatement, statement, transact } from "../db/statement.ts";
import { eventOf } from "../items/insert-events.ts";
import { insertDeliveries, scopesOfDeliveries } from "../outbox/insert-deliveries.ts";

const insertNew = insertRows(
  "enrichments",
  [
    "event_id",
    "seq",
    "watch_key",
    "own_sinks",
    "gather_ms",
    "backfilled",
    "state",
    "created_at",
    "next_at",
    "attempts",
    "error",
  ],
  (insert) => insert.onConflict((conflict) => conflict.column("event_id").doNothing()),
);

export async function insertEnrichments(
  on: Executor,
  waiting: readonly NewEnrichment[],
  nowMs: number,
): Promise<void> {
  if (waiting.length === 0) return;
  const numberOf = await nextNumbers(on, "enrichment", waiting.length);
  await insertNew(
    on,
    waiting.map(({ eventId, watchKey, ownSinks, gatherMs, isBackfilled }, i) => ({
      event_id: eventId,
      seq: numberOf(i),
      watch_key: watchKey,
      own_sinks: toText(ownSinks),
      gather_ms: gatherMs ?? null,
      backfilled: isBackfilled === true ? 1 : null,
      state: "waiting",
      created_at: nowMs,
      next_at: nowMs,
      attempts: 0,
      error: "",
    })),
  );
}

const countWaiting = statement<object>()((on) =>
  on
    .selectFrom("enrichments")
    .select((eb) => [
      "watch_key",
      eb.fn.countAll<number>().as("waiting"),
      eb.fn.min("created_at").as("oldest"),
      eb.fn.min("next_at").as("next"),
      eb.fn.max("error").as("error"),
    ])
    .where("state", "=", WAITING)
    .groupBy("watch_key")
    .orderBy("watch_key"),
);

export async function enrichmentBacklog(db: Executor): Promise<readonly EnrichmentBacklog[]> {
  const { rows } = await countWaiting(db, {});
  return rows.map(({ watch_key: watchKey, waiting, oldest, next, error }) => ({
    watchKey,
    waiting: Number(waiting),
    oldestAtMs: Number(oldest),
    nextAtMs: Number(next),
    error,
  }));
}

export async function dueEnrichments(
  db: Executor,
  { watchKey, dueAtMs, limit }: DueEnrichments,
): Promise<readonly WaitingEvent[]> {
  const rows = await db
    .selectFrom("enrichments as n")
    .innerJoin("events as e", "e.id", "n.event_id")
    .selectAll("e")
    .select(["n.own_sinks", "n.gather_ms", "n.backfilled", "n.created_at", "n.attempts", "n.error"])
    .where("n.state", "=", WAITING)
    .where("n.watch_key", "=", watchKey)
    .where("n.next_at", "<=", dueAtMs)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("enrichments as o")
            .innerJoin("events as f", "f.id", "o.event_id")
            .select("o.seq")
            .where("o.state", "=", WAITING)
            .where("o.next_at", ">", dueAtMs)
            .whereRef("o.watch_key", "=", "n.watch_key")
            .whereRef("o.seq", "<", "n.seq")
            .whereRef("f.subject", "=", "e.subject"),
        ),
      ),
    )
    .orderBy("n.seq")
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    event: eventOf(row),
    watchKey,
    ownSinks: fromText(row.own_sinks),
    ...(row.gather_ms === null ? {} : { gatherMs: Number(row.gather_ms) }),
    ...(row.backfilled === 1 ? { isBackfilled: true } : {}),
    sinceMs: Number(row.created_at),
    attempts: row.attempts,
    error: row.error,
  }));
}

const firstDeliveries = listStatement<object, string>()((on, list) =>
  on
    .selectFrom("enrichments as n")
    .innerJoin("deliveries as d", "d.event_id", "n.event_id")
    .select((eb) => ["n.event_id", eb.fn.min("d.created_at").as("at")])
    .where("n.event_id", "in", list)
    .groupBy("n.event_id"),
);

export const enrichedAt = async (
  db: Executor,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, number>> =>
  new Map(
    (await firstDeliveries(db, eventIds, {})).rows.map(({ event_id: id, at }) => [id, Number(at)]),
  );

export function storeEnrichments(
  db: Executor,
  { atMs, enriched, postponed }: EnrichmentRound,
): Promise<ReadonlySet<string>> {
  const work = async (on: Executor) => {
    for (const { eventId, nextAtMs, attempts, error } of postponed)
      await on
        .updateTable("enrichments")
        .set({ next_at: nextAtMs, attempts, error })
        .where("event_id", "=", eventId)
        .where("state", "=", WAITING)
        .execute();
    const completed = new Set<string>();
    for (const one of enriched) if (await complete(on, one)) completed.add(one.event.id);
    const deliveries = enriched.flatMap(({ event, deliveries }) =>
      completed.has(event.id) ? deliveries : [],
    );
    await insertDeliveries(on, deliveries, atMs);
    return completed;
  };
  const watches = enriched.map(({ event }) => scopeOfWatch(event.watchKey));
  return transact(db, work, [
    ...watches,
    ...scopesOfDeliveries(enriched.flatMap(({ deliveries }) => deliveries)),
  ]);
}

/** Marks an enrichment as done. Returns false if the event no longer waits. */
async function complete(
  on: Executor,
  { event, result, error, attempts }: EnrichedEvent,
): Promise<boolean> {
  const { numUpdatedRows } = await on
    .updateTable("enrichments")
    .set({ state: result, error, attempts })
    .where("event_id", "=", event.id)
    .where("state", "=", WAITING)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  const { id, watch, labels, body } = event;
  await on
    .updateTable("events")
    .set({ watch, labels: toText(labels), body: toText(body as JsonObject) })
    .where("id", "=", id)
    .execute();
  return true;
}
