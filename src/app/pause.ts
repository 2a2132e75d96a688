/** Pausing and resuming a watch. A resumed one reads from where it was paused, although others may have polled its source since. */
import type { Clock } from "../model/clock.ts";
import type { Store } from "../model/store.ts";

/** False when there is no watch of that id. */
export async function setWatchPaused(store: Store, clock: Clock, watchId: string, paused: boolean): Promise<boolean> {
  const state = (await store.listWatches()).find(({ id }) => id === watchId);
  if (state === undefined) return false;
  const note = `paused:${state.key}`;
  if (paused && !state.paused) await store.writeNote(note, clock.now());
  if (!paused && state.paused) {
    const pausedAtMs = await store.readNote(note);
    if (typeof pausedAtMs === "number") await rememberResume(store, clock, watchId, pausedAtMs);
  }
  return store.setPaused(watchId, paused);
}

async function rememberResume(store: Store, clock: Clock, watchId: string, pausedAtMs: number): Promise<void> {
  const state = (await store.listWatches()).find(({ id }) => id === watchId);
  const targets = (state?.targets ?? [])
    .filter(({ baselineAtMs }) => baselineAtMs !== null)
    .map((target) => ({
      watchKey: target.watchKey,
      targetKey: target.key,
      expectedRevision: target.revision,
      memory: { ...target.memory, resume_ms: pausedAtMs },
    }));
  await store.commitPoll({ atMs: clock.now(), targets, verdicts: [], events: [], deliveries: [] });
}
