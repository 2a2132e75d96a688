/**
 * Returns unused memory to the operating system. V8 collects garbage only while memory is
 * allocated, and a waiting daemon allocates almost nothing.
 */
import { Session } from "node:inspector";
import type { Cancel, Clock } from "../model/clock.ts";

/**
 * When garbage is collected, in ms after the start. Before the first collection, the first polls of
 * an ordinary configuration end. V8 frees the pages of the young generation only if little was
 * allocated in the five or more seconds before a collection. The second collection meets this
 * condition after an ordinary start, the third after a slow start.
 */
const COLLECT_AFTER_MS = [8_000, 14_000, 24_000] as const;

/** Collects garbage a few times after the start. */
export function collectGarbageLater(clock: Clock): Cancel {
  const cancels = COLLECT_AFTER_MS.map((ms) => clock.after(ms, collectGarbage));
  return () => cancels.forEach((cancel) => cancel());
}

/**
 * Requests a full garbage collection, which runs soon, outside of the current callback. Unlike
 * `gc()`, the inspector needs no V8 flag, and it also returns the freed pages to the system.
 */
export function collectGarbage(): void {
  const session = new Session();
  session.connect();
  // Disconnect later: disconnecting within the callback would end the process.
  session.post("HeapProfiler.collectGarbage", () => setImmediate(() => session.disconnect()));
}
