/**
 * Gives back memory: V8 collects only while something is allocated, and a daemon that waits
 * allocates next to nothing.
 */
import { Session } from "node:inspector";
import type { Cancel, Clock } from "../model/clock.ts";

/**
 * By the first, the first polls of an ordinary file are done. V8 releases the young generation's
 * pages only when little was allocated during five seconds and more before a collection: hence the
 * second, and the third where the start was slow.
 */
const COLLECT_AFTER_MS = [8_000, 14_000, 24_000] as const;

/** Collects garbage a few times once the start is over. */
export function collectGarbageLater(clock: Clock): Cancel {
  const cancels = COLLECT_AFTER_MS.map((ms) => clock.after(ms, collectGarbage));
  return () => cancels.forEach((cancel) => cancel());
}

/**
 * Node's own way to ask for a full collection without a flag of V8, which also gives the freed
 * pages back. Runs in a turn of its own, soon.
 */
export function collectGarbage(): void {
  const session = new Session();
  session.connect();
  // Disconnecting within the answer stops the process for good.
  session.post("HeapProfiler.collectGarbage", () => setImmediate(() => session.disconnect()));
}
