/**
 * Begins to count for alerts that may be escalated, and counts anew after an acknowledgement was
 * undone. What is sent is committed in escalations.ts.
 */
import { type ExpressionBuilder, sql } from "kysely";
import type { DeliveryResult } from "../../model/outbox.ts";
import { DIGEST_PREFIX } from "../../model/digest.ts";
import { DEAD, OPEN, SEALED, WAITING } from "../db/literals.ts";
import { type Executor, listStatement } from "../db/statement.ts";
import type { Tables } from "../db/tables.ts";

const COLUMNS = [
  ...(["delivery_id", "message_id", "base_at", "begun_at", "at_once"] as const),
  ...(["due_at", "revision", "taken", "ended"] as const),
] as const;

/** Literals, because a cast to text has a collation on Postgres. */
const NO_STEPS = sql.lit("[]");
const NOT_ENDED = sql.lit("" as const);
const SILENCED = sql.lit("silenced" as const);

/** Selects the rows of the alerts in messages that were attempted or given up. */
const rowsOf = (on: Executor, messageIds: string[]) =>
  on
    .selectFrom("deliveries as d")
    .innerJoin("messages as m", "m.id", "d.message_id")
    .innerJoin("events as e", "e.id", "d.event_id")
    .select((eb) => [
      "d.id",
      "d.message_id",
      countedFrom(eb).as("base_at"),
      countedFrom(eb).as("begun_at"),
      eb.case().when("m.state", "=", DEAD).then(eb.lit(1)).else(eb.lit(0)).end().as("at_once"),
      // It is due at once, so that its steps are planned.
      countedFrom(eb).as("due_at"),
      eb.lit(1).as("revision"),
      NO_STEPS.as("taken"),
      NOT_ENDED.as("ended"),
    ])
    .where("d.message_id", "in", messageIds)
    .where("d.message_id", "is not", null)
    .where("d.state", "=", SEALED)
    .where("d.replayed_at", "is", null)
    .where("d.follows_id", "is", null)
    .where("e.watch_type", "!=", "daemon")
    .where("m.group_key", "not like", `${DIGEST_PREFIX}%`);

const countedFrom = (eb: ExpressionBuilder<Tables & { m: Tables["messages"] }, "m">) =>
  eb.fn.coalesce("m.done_at", "m.first_attempt_at", "m.sealed_at");

const beginUntaken = listStatement<object, string>()((on, list) =>
  on
    .insertInto("escalations")
    .columns(COLUMNS)
    .expression(rowsOf(on, list))
    .onConflict((conflict) => conflict.column("delivery_id").doNothing()),
);

/** Later steps count from the step before, whatever became of the message. */
const beginDone = listStatement<object, string>()((on, list) =>
  on
    .insertInto("escalations")
    .columns(COLUMNS)
    .expression(rowsOf(on, list))
    .onConflict((conflict) =>
      conflict.column("delivery_id").doUpdateSet((eb) => {
        const ifFirst = <C extends "base_at" | "begun_at" | "at_once">(column: C) =>
          eb
            .case()
            .when("escalations.taken", "=", "[]")
            .then(eb.ref(`excluded.${column}`))
            .else(eb.ref(`escalations.${column}`))
            .end();
        // The alert was silenced when its sink had failed for too long. The silence counts anew at
        // the time of the step after the sink took the alert.
        const isSilencedUnsent = eb.and([
          eb("escalations.ended", "=", SILENCED),
          eb("escalations.taken", "=", "[]"),
        ]);
        return {
          message_id: eb.ref("excluded.message_id"),
          base_at: ifFirst("base_at"),
          begun_at: ifFirst("begun_at"),
          at_once: ifFirst("at_once"),
          due_at: eb
            .case()
            .when(eb.or([eb("escalations.due_at", "is not", null), isSilencedUnsent]))
            .then(eb.ref("excluded.due_at"))
            .else(null)
            .end(),
          ended: eb
            .case()
            .when(isSilencedUnsent)
            .then(NOT_ENDED)
            .else(eb.ref("escalations.ended"))
            .end(),
          revision: eb("escalations.revision", "+", 1),
        };
      }),
    ),
);

/** Begins to count for the alerts in these messages, whose results are recorded. */
export async function beginEscalations(
  on: Executor,
  results: readonly DeliveryResult[],
): Promise<void> {
  const idsOf = (isDone: boolean) =>
    results.flatMap(({ kind, messageId }) => ((kind !== "retry") === isDone ? [messageId] : []));
  await beginUntaken(on, idsOf(false), {});
  await beginDone(on, idsOf(true), {});
}

const beginWaiting = listStatement<{ now: number }, string>()((on, list, slot) =>
  on
    .insertInto("escalations")
    .columns(COLUMNS)
    .expression(
      on
        .selectFrom("sink_health as h")
        .innerJoin("deliveries as d", "d.sink", "h.sink")
        .innerJoin("events as e", "e.id", "d.event_id")
        .leftJoin("messages as m", "m.id", "d.message_id")
        .select((eb) => {
          const dueAt = eb.fn.coalesce("m.next_attempt_at", "d.due_at");
          const since = eb
            .case()
            .when("h.opened_at", ">", dueAt)
            .then(eb.ref("h.opened_at").$notNull())
            .else(dueAt)
            .end();
          return [
            "d.id",
            "d.message_id",
            since.as("base_at"),
            since.as("begun_at"),
            eb.lit(0).as("at_once"),
            since.as("due_at"),
            eb.lit(1).as("revision"),
            NO_STEPS.as("taken"),
            NOT_ENDED.as("ended"),
          ];
        })
        .where("h.breaker", "=", "open")
        .where("h.sink", "in", list)
        .where("d.replayed_at", "is", null)
        .where("d.follows_id", "is", null)
        .where("e.watch_type", "!=", "daemon")
        .where(
          (eb) => eb.fn.coalesce("m.group_key", "d.group_key"),
          "not like",
          `${DIGEST_PREFIX}%`,
        )
        .where((eb) =>
          eb.or([
            eb.and([eb("d.state", "=", WAITING), eb("d.due_at", "<=", slot("now"))]),
            eb.and([
              eb("d.state", "=", SEALED),
              eb("m.state", "=", OPEN),
              eb("m.next_attempt_at", "<=", slot("now")),
            ]),
          ]),
        )
        .where((eb) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom("escalations as x")
                .select("x.delivery_id")
                .whereRef("x.delivery_id", "=", "d.id"),
            ),
          ),
        ),
    )
    .onConflict((conflict) => conflict.column("delivery_id").doNothing()),
);

export async function trackFailing(
  db: Executor,
  sinks: readonly string[],
  nowMs: number,
): Promise<void> {
  await beginWaiting(db, sinks, { now: nowMs });
}

/** Counts anew for events whose acknowledgement was undone. What was sent is not sent again. */
export const restartEscalations = (on: Executor, eventIds: readonly string[], nowMs: number) =>
  restart(on, eventIds, { now: nowMs });

const restart = listStatement<{ now: number }, string>()((on, list, slot) =>
  on
    .updateTable("escalations")
    .set((eb) => ({
      base_at: slot("now"),
      begun_at: slot("now"),
      due_at: slot("now"),
      at_once: 0,
      ended: "",
      revision: eb("revision", "+", 1),
    }))
    .where("ended", "in", ["", "acknowledged"])
    .where(
      "delivery_id",
      "in",
      on.selectFrom("deliveries").select("id").where("event_id", "in", list),
    ),
);

export async function replanEscalations(db: Executor, nowMs: number): Promise<void> {
  await db
    .updateTable("escalations")
    .set({ due_at: nowMs })
    .where("due_at", "is not", null)
    .execute();
}
