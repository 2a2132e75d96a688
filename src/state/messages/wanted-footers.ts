/**
 * Stores which messages may need another footer, the line that says who acknowledged their alerts.
 * This is the case when an alert is acknowledged or the acknowledgement is undone, and when a
 * message is sealed with an acknowledged alert.
 */
import type { ExpressionBuilder } from "kysely";
import { REFUSED, WAITING } from "../db/literals.ts";
import type { Tables } from "../db/tables.ts";
import { type Executor, listStatement, statement } from "../db/statement.ts";

/** Finds the messages that have such an alert and that their sinks can edit. */
const messagesWith = listStatement<object, string>()((on, list) =>
  on
    .selectFrom("deliveries as d")
    .innerJoin("messages as m", "m.id", "d.message_id")
    .select(["m.id", "m.sink"])
    .distinct()
    .where("d.event_id", "in", list)
    .where("d.message_id", "is not", null)
    .where("m.footer", "is not", null),
);

/** Makes the footers of all messages with these events due. */
export async function wantFootersOf(
  on: Executor,
  eventIds: readonly string[],
  nowMs: number,
): Promise<void> {
  await want(on, (await messagesWith(on, eventIds, {})).rows, nowMs);
}

const markedMessages = listStatement<object, string>()((on, list) =>
  on
    .selectFrom("deliveries as d")
    .innerJoin("event_marks as a", "a.event_id", "d.event_id")
    .innerJoin("messages as m", "m.id", "d.message_id")
    .select(["m.id", "m.sink"])
    .distinct()
    .where("d.message_id", "in", list)
    .where("d.message_id", "is not", null)
    .where("m.footer", "is not", null)
    .where("a.kind", "=", "acknowledged"),
);

/**
 * Makes the footers of new messages due if an alert in them was acknowledged, or its
 * acknowledgement undone, because that may have happened after the message was rendered.
 */
export async function wantFootersIn(
  on: Executor,
  messageIds: readonly string[],
  nowMs: number,
): Promise<void> {
  await want(on, (await markedMessages(on, messageIds, {})).rows, nowMs);
}

/** Whether somebody acknowledged or released the alert of a delivery. */
export const isMarked = (eb: ExpressionBuilder<Tables, "deliveries">) =>
  eb.exists(
    eb
      .selectFrom("event_marks as a")
      .select("a.event_id")
      .whereRef("a.event_id", "=", "deliveries.event_id")
      .where("a.kind", "=", "acknowledged"),
  );

async function want(
  on: Executor,
  messages: readonly { readonly id: string; readonly sink: string }[],
  nowMs: number,
): Promise<void> {
  for (const { id, sink } of new Map(messages.map((one) => [one.id, one])).values())
    await upsert(on, { id, sink, now: nowMs });
}

const upsert = statement<{ id: string; sink: string; now: number }>()((on, slot) =>
  on
    .insertInto("message_footers")
    .values({
      ...{ message_id: slot("id"), sink: slot("sink"), state: WAITING, revision: 1 },
      ...{ attempts: 0, due_at: slot("now"), shown: null, error: "" },
    })
    .onConflict((conflict) =>
      conflict
        .column("message_id")
        .doUpdateSet((eb) => ({
          state: WAITING,
          revision: eb("message_footers.revision", "+", 1),
          attempts: 0,
          due_at: eb.ref("excluded.due_at"),
          error: "",
        }))
        .where("message_footers.state", "!=", REFUSED),
    ),
);
