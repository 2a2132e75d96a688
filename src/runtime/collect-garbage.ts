/**
 * Returns memory to the system. V8 collects garbage only while memory is allocated, and a waiting
 * daemon allocates almost nothing.
 */
import { Session } from "node:inspector";
import type { Cancel, Clock } from "../model/clock.ts";

/**
 * The times of the collections. At the first one, the first polls of an ordinary configuration are
 * done. V8 frees the pages of the young generation only if little was allocated in the five or more
 * seconds before a collection, which the second collection ensures, and the third after a slow
 * start.
 */
const COLLECT_AFTER_MS = [8_000, 14_000, 24_000] as const;

/** Collects garbage a few times after the start. */
export function collectGarbageLater(clock: Clock): Cancel {
  const cancels = COLLECT_AFTER_MS.map((ms) => clock.after(ms, collectGarbage));
  return () => cancels.forEach((cancel) => cancel());
}

/**
 * Requests a full collection, soon and in a turn of its own. The inspector is Node's way to do that
 * without a V8 flag, and also returns the freed pages to the system.
 */
export function collectGarbage(): void {
  const session = new Session();
  session.connect();
  // Disconnect later: disconnecting within the callback would end the process.
  session.post("HeapProfiler.collectGarbage", () => setImmediate(() => session.disconnect()));
}
