/**
 * Finds which silences and pauses, which people set by hand, a restore changes: those that had
 * ended since the backup apply again, and those that were set since the backup are lost.
 */
import type { SqliteHandle } from "../db/sqlite.ts";

/**
 * The silences and pauses that apply at a moment, in a few words each: `the silence 3
 * (team="comms")`, `the pause of mentions`.
 */
export type SetByHand = readonly string[];

export interface ChangedByRestore {
  /** The silences and pauses that apply again, although they had ended since the backup. */
  readonly returned: SetByHand;
  /** The silences and pauses that operators set since the backup. The restore loses them. */
  readonly lost: SetByHand;
}

/**
 * Reads the silences and pauses that apply at a moment. A state with a schema that is older than
 * silences has none.
 */
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
