/** Gives back what a start needed: V8 collects only while something is allocated, and a daemon that waits allocates next to nothing. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Cancel, Clock } from "../model/clock.ts";

/**
 * By the first, the first polls of an ordinary file are done. V8 lets go of the young generation's pages only when little was allocated
 * during five seconds and more before a collection: hence the second, and the third where the start was slow.
 */
const COLLECT_AFTER_MS = [8_000, 14_000, 24_000] as const;

/** Moves objects together; forgets compiled code, which is compiled again when it is called again. Some 4 MB each at ten thousand watches. */
const FLAGS = ["compact-on-every-full-gc", "stress-flush-code"] as const;

/** Collects garbage a few times once the start is over, some 70 ms each at ten thousand watches. Worth 170 MB there. */
export function trimMemoryLater(clock: Clock): Cancel {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const cancels = COLLECT_AFTER_MS.map((ms) => clock.after(ms, () => collectAndCompact(collect)));
  return () => cancels.forEach((cancel) => cancel());
}

/** What is left of a start lies scattered over half empty pages, and its code will not run again: V8 itself lets go of little of either. */
function collectAndCompact(collect: () => void): void {
  for (const flag of FLAGS) setFlagsFromString(`--${flag}`);
  collect();
  for (const flag of FLAGS) setFlagsFromString(`--no-${flag}`);
}
