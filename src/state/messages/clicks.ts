/**
 * Stores which clicks took effect, each in the transaction of its effect, and finds the messages
 * below which people clicked.
 */
import type { ClickedMessage, ClickKey } from "../../model/clicks.ts";
import { ESCALATED_EVENT } from "../../model/escalation.ts";
import { type Executor, statement } from "../db/statement.ts";

const insertClick = statement<{ id: string; person: string; now: number }>()((on, slot) =>
  on
    .insertInto("clicks")
    .values({ id: slot("id"), person: slot("person"), clicked_at: slot("now") })
    .onConflict((conflict) => conflict.column("id").doNothing()),
);

/**
 * Takes a click in the transaction of its effect. Resolves to false if it was taken before, and then
 * it has no effect.
 */
export async function takeClick(
  on: Executor,
  { id, person }: ClickKey,
  nowMs: number,
): Promise<boolean> {
  return (await insertClick(on, { id, person, now: nowMs })).changed > 0;
}

const messageById = statement<{ id: string }>()((on, slot) =>
  on
    .selectFrom("messages as m")
    .select("m.sink")
    .select((eb) =>
      eb
        .selectFrom("deliveries as d")
        .select((inner) => inner.fn.countAll<number>().as("alerts"))
        .whereRef("d.message_id", "=", "m.id")
        .as("alerts"),
    )
    .select((eb) =>
      eb
        .selectFrom("deliveries as x")
        .innerJoin("events as e", "e.id", "x.event_id")
        .select((inner) => inner.fn.min("e.type").as("type"))
        .whereRef("x.message_id", "=", "m.id")
        .as("type"),
    )
    .where("m.id", "=", slot("id")),
);

/** Returns the message with this id; undefined if it was pruned or is of another state. */
export async function clickedMessage(
  db: Executor,
  id: string,
): Promise<ClickedMessage | undefined> {
  const row = (await messageById(db, { id })).rows[0];
  return (
    row && {
      ...{ sink: row.sink, alerts: Number(row.alerts) },
      // An escalation is always alone in its message.
      isEscalation: row.type === ESCALATED_EVENT,
    }
  );
}
