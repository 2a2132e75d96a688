/**
 * Stores the edits of footers, the lines below messages: which edit is due, and the outcome of
 * each. The rows are created in messages/wanted-footers.ts.
 */
import type { DueFooter, FooterResult } from "../../model/footer.ts";
import type { Mark } from "../../model/mark.ts";
import { fromText } from "../db/json-text.ts";
import { SENT, WAITING } from "../db/literals.ts";
import { type Executor, statement } from "../db/statement.ts";

const waitingOf = (on: Executor) =>
  on
    .selectFrom("message_footers as f")
    .innerJoin("messages as m", "m.id", "f.message_id")
    .where("f.state", "=", WAITING)
    .where("m.state", "=", SENT)
    .where("m.ref", "is not", null);

const oldestDue = statement<{ sink: string; now: number }>()((on, slot) =>
  waitingOf(on)
    .select(["m.id", "m.ref", "m.channel", "m.body", "m.footer", "f.shown"])
    .select(["f.revision", "f.attempts"])
    .where("f.sink", "=", slot("sink"))
    .where("f.due_at", "<=", slot("now"))
    .orderBy("f.due_at")
    .limit(1),
);

/**
 * Reads the alerts of a message with their acknowledgements. If the message has only one alert,
 * also reads what an edit has made it show.
 */
const alertsOf = statement<{ id: string }>()((on, slot) =>
  on
    .selectFrom("deliveries as d")
    .leftJoin("event_marks as a", (join) =>
      join
        .onRef("a.event_id", "=", "d.event_id")
        .on("a.kind", "=", "acknowledged")
        .on("a.undone_at", "is", null),
    )
    .leftJoin("edits as x", "x.delivery_id", "d.id")
    .select(["a.marked_by", "a.marked_from", "a.marked_at", "x.body as edited_body"])
    .where("d.message_id", "=", slot("id"))
    .where("d.message_id", "is not", null)
    .orderBy("d.id"),
);

export async function dueFooter(
  db: Executor,
  sink: string,
  nowMs: number,
): Promise<DueFooter | undefined> {
  const row = (await oldestDue(db, { sink, now: nowMs })).rows[0];
  if (row === undefined) return undefined;
  const { rows: alerts } = await alertsOf(db, { id: row.id });
  const [only] = alerts;
  const edited = alerts.length === 1 && only !== undefined ? only.edited_body : null;
  return {
    messageId: row.id,
    revision: row.revision,
    ref: row.ref ?? "",
    channel: row.channel ?? null,
    body: fromText(edited ?? row.body),
    shown: row.shown ?? row.footer ?? "",
    attempts: row.attempts,
    alerts: alerts.length,
    marks: alerts.flatMap(({ marked_by: by, marked_from: from, marked_at: at }): Mark[] =>
      by === null || from === null || at === null ? [] : [{ by, from, atMs: Number(at) }],
    ),
  };
}

const earliest = statement<{ sink: string }>()((on, slot) =>
  waitingOf(on).select("f.due_at").where("f.sink", "=", slot("sink")).orderBy("f.due_at").limit(1),
);

export async function nextFooterAt(db: Executor, sink: string): Promise<number | null> {
  const row = (await earliest(db, { sink })).rows[0];
  return row === undefined ? null : Number(row.due_at);
}

export async function recordFooter(
  db: Executor,
  { messageId, revision }: Pick<DueFooter, "messageId" | "revision">,
  result: FooterResult,
): Promise<void> {
  const own = db.updateTable("message_footers").where("message_id", "=", messageId);
  if (result.kind === "shown") {
    await own.set({ attempts: 0, error: "", shown: result.footer }).execute();
    await own.set({ state: "done" }).where("revision", "=", revision).execute();
    return;
  }
  const { error } = result;
  if (result.kind === "retry") {
    const { nextAtMs } = result;
    await own
      .set((eb) => ({ due_at: nextAtMs, error, attempts: eb("attempts", "+", 1) }))
      .where("revision", "=", revision)
      .execute();
    return;
  }
  const dropped = own.set({ state: result.isFinal ? "refused" : "dropped", error, attempts: 0 });
  await (result.isFinal ? dropped : dropped.where("revision", "=", revision)).execute();
}
