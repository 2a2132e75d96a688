/** Stores the marks that people put on alerts. A mark concerns all that was sent as one alert. */
import type { MarkKind } from "../../model/mark.ts";
import type { MarkOutcome, MarkRequest, NewsOfMarks } from "../../model/marks.ts";
import { recordAudit } from "../db/audit.ts";
import { type Executor, insertRows, listStatement, transact } from "../db/statement.ts";
import type { EventMarksTable } from "../db/sent-tables.ts";
import { eventOf, insertEvents } from "../items/insert-events.ts";
import { takeClick } from "../messages/clicks.ts";
import { marksOf } from "../messages/marked-events.ts";
import { wantFootersOf } from "../messages/wanted-footers.ts";
import { restartEscalations } from "../outbox/begin-escalations.ts";
import { sentEscalations } from "../outbox/escalations.ts";
import { insertDeliveries } from "../outbox/insert-deliveries.ts";
import { escalatedAlerts, eventRows, eventsOf } from "./alerts-of.ts";

/** The action that the audit records for each kind of mark. */
const ACTIONS: Readonly<Record<MarkKind, string>> = {
  acknowledged: "acknowledge",
  not_relevant: "not relevant",
};

export function mark(
  db: Executor,
  request: MarkRequest,
  newsOf?: NewsOfMarks,
): Promise<MarkOutcome | undefined> {
  return transact(db, async (on) => {
    const eventIds = await eventsOf(on, request.what);
    if (eventIds.length === 0) return undefined;
    const marks = await marksOf(on, request.kind, eventIds);
    const isTaken =
      request.click === undefined || (await takeClick(on, request.click, request.atMs));
    const changedIds = isTaken ? eventIds.filter((id) => marks.has(id) === request.isUndo) : [];
    if (changedIds.length > 0) {
      const episode = await change(on, request, changedIds);
      if (newsOf !== undefined && !request.isUndo) {
        const { rows } = await eventRows(on, changedIds, {});
        const { events, deliveries } = newsOf(rows.map(eventOf), String(episode));
        await insertEvents(on, events);
        await insertDeliveries(on, deliveries, request.atMs);
      }
    }
    const now = await marksOf(on, request.kind, eventIds);
    const last = [...now.values()].sort((a, b) => b.atMs - a.atMs)[0];
    return { alerts: eventIds.length, changed: changedIds.length, mark: last ?? null };
  });
}

/**
 * Acknowledges these events, or undoes their acknowledgements. Returns the number of the audit
 * record.
 */
async function change(
  on: Executor,
  { kind, what, isUndo, by, from, atMs, click }: MarkRequest,
  eventIds: readonly string[],
): Promise<number> {
  if (isUndo) {
    await undo(on, eventIds, { kind, now: atMs });
    if (kind === "acknowledged") await restartEscalations(on, eventIds, atMs);
  } else {
    const row = { kind, marked_at: atMs, marked_by: by, marked_from: from, undone_at: null };
    await forget(on, eventIds, { kind });
    await insertMarks(
      on,
      eventIds.map((id): EventMarksTable => ({ ...row, event_id: id })),
    );
  }
  if (kind === "acknowledged") {
    const escalationIds = await markEscalations(on, { isUndo, by, from, atMs }, eventIds);
    await wantFootersOf(on, [...eventIds, ...escalationIds], atMs);
  }
  const action = ACTIONS[kind];
  const person = click === undefined ? {} : { person: click.person };
  const detail = { what, alerts: eventIds.length, by, from, ...person };
  return recordAudit(on, atMs, isUndo ? `${action} undo` : action, detail);
}

/**
 * Acknowledges the escalations whose alerts are all acknowledged now, and undoes that for the
 * others. Returns those that changed.
 */
async function markEscalations(
  on: Executor,
  { isUndo, by, from, atMs }: Pick<MarkRequest, "isUndo" | "by" | "from" | "atMs">,
  alertIds: readonly string[],
): Promise<readonly string[]> {
  const kind = "acknowledged" as const;
  const escalationIds = await sentEscalations(on, alertIds);
  if (escalationIds.length === 0) return [];
  const alerts = await escalatedAlerts(on, escalationIds);
  const marks = await marksOf(on, kind, [...escalationIds, ...[...alerts.values()].flat()]);
  const isWhole = (about: readonly string[]) =>
    about.length > 0 && about.every((id) => marks.has(id));
  const changedIds = [...alerts].flatMap(([id, about]) =>
    marks.has(id) === isUndo && isWhole(about) !== isUndo ? [id] : [],
  );
  if (isUndo) await undo(on, changedIds, { kind, now: atMs });
  else {
    const row = { kind, marked_at: atMs, marked_by: by, marked_from: from, undone_at: null };
    await forget(on, changedIds, { kind });
    await insertMarks(
      on,
      changedIds.map((id): EventMarksTable => ({ ...row, event_id: id })),
    );
  }
  return changedIds;
}

const insertMarks = insertRows(
  "event_marks",
  ["event_id", "kind", "marked_at", "marked_by", "marked_from", "undone_at"],
  (insert) => insert,
);

const undo = listStatement<{ kind: MarkKind; now: number }, string>()((on, list, slot) =>
  on
    .updateTable("event_marks")
    .set({ undone_at: slot("now") })
    .where("event_id", "in", list)
    .where("kind", "=", slot("kind")),
);

/** Deletes acknowledgements that were undone, before their events are acknowledged again. */
const forget = listStatement<{ kind: MarkKind }, string>()((on, list, slot) =>
  on.deleteFrom("event_marks").where("event_id", "in", list).where("kind", "=", slot("kind")),
);
