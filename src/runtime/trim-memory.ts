/** Gives back what a start needed: V8 collects only while something is allocated, and a daemon that waits allocates next to nothing. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Cancel, Clock } from "../model/clock.ts";

/** By the first, the first polls of an ordinary file are done. One alone frees objects; their pages follow with the next ones. */
const COLLECT_AFTER_MS = [8_000, 9_500, 11_000] as const;

/** Collects garbage a few times once the start is over, some 50 ms each at ten thousand watches. */
export function trimMemoryLater(clock: Clock): Cancel {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const cancels = COLLECT_AFTER_MS.map((ms) => clock.after(ms, collect));
  return () => cancels.forEach((cancel) => cancel());
}
