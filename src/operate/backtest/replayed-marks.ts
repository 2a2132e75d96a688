/**
 * Reads from the audit which alerts people acknowledged, which acknowledgements they undid, and
 * when, so that a backtest can repeat it.
 */
import type { Mark } from "../../model/mark.ts";
import type { MarkStore } from "../../model/marks.ts";
import type { ReplayStore } from "../../model/replay.ts";

/** An alert that a person acknowledged, or whose acknowledgement was undone. */
export interface ReplayedMark {
  readonly eventId: string;
  readonly mark: Mark;
  readonly isUndo: boolean;
}

/** The maximum number of audit records that are read, from the newest on. */
const MAX_RECORDS = 100_000;

const UNDOES: ReadonlyMap<string, boolean> = new Map([
  ["acknowledge", false],
  ["acknowledge undo", true],
]);

/** Returns what was acknowledged and undone since a time, in the order of time. */
export async function marksSince(
  store: Pick<MarkStore, "alertsOf"> & Pick<ReplayStore, "auditRecords">,
  sinceMs: number,
): Promise<readonly ReplayedMark[]> {
  const marks: ReplayedMark[] = [];
  for (const { atMs, action, detail } of (await store.auditRecords(MAX_RECORDS)).toReversed()) {
    const isUndo = UNDOES.get(action);
    if (isUndo === undefined || atMs < sinceMs) continue;
    const { what, by, from } = detail as { what: string; by: string; from: string };
    for (const { event } of await store.alertsOf(what))
      marks.push({ eventId: event.id, mark: { by, from, atMs }, isUndo });
  }
  return marks;
}
