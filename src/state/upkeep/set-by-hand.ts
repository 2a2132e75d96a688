/**
 * Finds what a restore changes of the things that people set: silences and pauses that had ended
 * since the backup, and those that the backup does not have.
 */
import type { SqliteHandle } from "../db/sqlite.ts";

/**
 * What applies at a moment, in a few words each: `the silence 3 (team="comms")`, `the pause of
 * mentions`.
 */
export type SetByHand = readonly string[];

export interface ChangedByRestore {
  /** Applies again, although it had ended since the backup. */
  readonly returned: SetByHand;
  /** Was set since the backup, and no longer applies. */
  readonly lost: SetByHand;
}

/** Reads what applies at a moment. A schema from before there were silences has none. */
export function readSetByHand(handle: SqliteHandle, nowMs: number): SetByHand {
  return [...silencesIn(handle, nowMs), ...pausesIn(handle)];
}

export const changedBy = (before: SetByHand, after: SetByHand): ChangedByRestore => ({
  returned: after.filter((one) => !before.includes(one)),
  lost: before.filter((one) => !after.includes(one)),
});

function silencesIn(handle: SqliteHandle, nowMs: number): readonly string[] {
  if (!hasTable(handle, "silences")) return [];
  const rows = handle
    .prepare("select id, matchers from silences where ends_at > ? order by id")
    .all(nowMs);
  return (rows as { readonly id: number; readonly matchers: string }[]).map(
    ({ id, matchers }) =>
      `the silence ${id} (${(JSON.parse(matchers) as readonly string[]).join(", ")})`,
  );
}

function pausesIn(handle: SqliteHandle): readonly string[] {
  const ids = handle
    .prepare("select id from watches where paused = 1 and removed_at is null order by id")
    .pluck()
    .all();
  return (ids as string[]).map((id) => `the pause of ${id}`);
}

const hasTable = (handle: SqliteHandle, name: string): boolean =>
  handle.prepare("select 1 from sqlite_master where type = 'table' and name = ?").get(name) !==
  undefined;
