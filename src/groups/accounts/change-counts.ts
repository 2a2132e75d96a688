/** What is learned of changes that no post accounts for: how many each group has shown, and for how long it was watched. */
import type { Clock } from "../../model/clock.ts";
import type { LearnedStore } from "../../model/learned.ts";
import { changesPerDay, countChanges, type OtherChanges, type WatchedRun } from "../../plan/rates/other-changes.ts";
import { LearnedValues } from "../memory/learned-values.ts";

/** Under the keys of groups. */
export interface ChangeCounts extends Pick<LearnedValues<OtherChanges>, "load" | "flush" | "close"> {
  take(groupKey: string, run: WatchedRun): void;
  /** A day for each account; undefined where nothing was watched. */
  changesOf(groupKey: string): number | undefined;
}

const WRITE_EVERY_MS = 600_000;
/** A group that did not run for so long is gone, or another one now. */
const KEEP_MS = 30 * 86_400_000;

export function createChangeCounts(store: LearnedStore, clock: Clock): ChangeCounts {
  const restore = (stored: unknown): OtherChanges | undefined => {
    const changes = stored as OtherChanges;
    return clock.now() - changes.lastMs > KEEP_MS ? undefined : changes;
  };
  const counts = new LearnedValues<OtherChanges>({ scope: "other_changes", store, clock, writeEveryMs: WRITE_EVERY_MS, restore });
  return {
    load: counts.load,
    flush: () => counts.flush(),
    close: () => counts.close(),
    take: (groupKey, run) => counts.put(groupKey, countChanges(counts.get(groupKey), run)),
    changesOf(groupKey) {
      const others = counts.entries().filter(([key]) => key !== groupKey);
      return changesPerDay(
        counts.get(groupKey),
        others.map(([, changes]) => changes),
      );
    },
  };
}
