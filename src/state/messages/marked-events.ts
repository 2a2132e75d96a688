/** Reads the marks that people put on events. */
import type { Mark, MarkKind } from "../../model/mark.ts";
import { type Executor, listStatement } from "../db/statement.ts";

const marked = listStatement<{ kind: MarkKind }, string>()((on, list, slot) =>
  on
    .selectFrom("event_marks")
    .selectAll()
    .where("event_id", "in", list)
    .where("kind", "=", slot("kind"))
    .where("undone_at", "is", null),
);

/** Returns the marks of events by their ids. An event without one has no entry. */
export async function marksOf(
  db: Executor,
  kind: MarkKind,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, Mark>> {
  if (eventIds.length === 0) return new Map();
  const { rows } = await marked(db, eventIds, { kind });
  return new Map(
    rows.map((row) => [
      row.event_id,
      { by: row.marked_by, from: row.marked_from, atMs: Number(row.marked_at) },
    ]),
  );
}
