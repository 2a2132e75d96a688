/**
 * What is remembered over restarts of changes that no post accounts for: how many each group has shown, and for how long it was watched.
 * Kept in a note of the store's, written late: what a crash loses of it is learned again.
 */
import type { Clock } from "../../model/clock.ts";
import { createInTurn, untilDone } from "../../model/in-turn.ts";
import type { Json } from "../../model/json.ts";
import type { Notes } from "../../model/store.ts";
import { changesPerDay, countChanges, type OtherChanges, type WatchedRun } from "../../plan/rates/other-changes.ts";

/** Under the keys of groups. */
export interface ChangeCounts {
  /** Reads the note once; asked before every run. */
  load(): Promise<void>;
  take(groupKey: string, run: WatchedRun): void;
  /** A day for each account; undefined where nothing was watched. */
  changesOf(groupKey: string): number | undefined;
  /** Writes what is new, at most once in ten minutes. */
  flush(): Promise<void>;
  /** Writes what is new: nothing more comes. */
  close(): Promise<void>;
}

const NOTE = "changes";
const FLUSH_EVERY_MS = 600_000;
/** A group that did not run for so long is gone, or another one now. */
const KEEP_MS = 30 * 86_400_000;

export function createChangeCounts(notes: Notes, clock: Clock): ChangeCounts {
  const groups = new Map<string, OtherChanges>();
  const inTurn = createInTurn();
  let isWritten = true;
  let flushedAtMs = clock.monotonic();

  const write = async (): Promise<void> => {
    if (isWritten) return;
    [flushedAtMs, isWritten] = [clock.monotonic(), true];
    for (const [key, { lastMs }] of groups) if (clock.now() - lastMs > KEEP_MS) groups.delete(key);
    await notes.writeNote(NOTE, Object.fromEntries(groups) as unknown as Json).catch((error: unknown) => {
      isWritten = false;
      throw error;
    });
  };

  return {
    load: untilDone(async () => {
      const note = (await notes.readNote(NOTE)) as Readonly<Record<string, OtherChanges>> | null;
      for (const [key, changes] of Object.entries(note ?? {})) if (!groups.has(key)) groups.set(key, changes);
    }),
    take(groupKey, run) {
      groups.set(groupKey, countChanges(groups.get(groupKey), run));
      isWritten = false;
    },
    changesOf(groupKey) {
      const others = [...groups].filter(([key]) => key !== groupKey);
      return changesPerDay(
        groups.get(groupKey),
        others.map(([, changes]) => changes),
      );
    },
    flush: () => (clock.monotonic() - flushedAtMs < FLUSH_EVERY_MS ? Promise.resolve() : inTurn(write)),
    close: () => inTurn(write),
  };
}
