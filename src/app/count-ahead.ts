/**
 * Sums up what the pages show of the whole quota period soon after a start. With a thousand watches
 * that takes a second of work in small turns, for which the first reader would wait.
 */
import type { Cancel, Clock } from "../model/clock.ts";
import type { Log } from "../model/log.ts";
import type { Views } from "../server/contract/views.ts";

/** The time after a start by which most first reads are done. */
const AFTER_START_MS = 45_000;

/** Returns a function that stops it, unless it has begun. */
export function countAhead(
  views: Pick<Views, "activity" | "status">,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Cancel {
  const count = async () => {
    await views.activity();
    await views.status();
  };
  return clock.after(
    AFTER_START_MS,
    () =>
      void count().catch((error: unknown) =>
        log.debug("the figures of the pages could not be summed up ahead", { error }),
      ),
  );
}
