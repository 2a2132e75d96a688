/**
 * Visits the overview soon after a start, so that the first reader does not wait. With a thousand
 * watches it takes a second of work in small turns to sum up the quota period, and loading the code
 * of the pages takes as long as a page.
 */
import type { Cancel, Clock } from "../model/clock.ts";
import type { Log } from "../model/log.ts";
import type { Views } from "../server/contract/views.ts";
import type { Serving } from "./daemon/serving.ts";

/** The time after a start by which most first reads are done. */
const AFTER_START_MS = 45_000;
/** V8 returns the memory that the visit needed only if little was allocated for some seconds. */
const COLLECT_AFTER_MS = 10_000;

export interface CountAheadDeps {
  readonly views: Pick<Views, "activity" | "status">;
  readonly serving: Pick<Serving, "visit">;
  readonly clock: Clock;
  readonly log: Log;
  /** Called after a visit, to return the memory that it needed. */
  readonly collectGarbage: () => void;
}

/** Returns a function that stops it. A visit that has begun ends by itself. */
export function countAhead(deps: CountAheadDeps): Cancel {
  const { views, serving, clock, log, collectGarbage } = deps;
  const count = async () => {
    // The page would log it as an error if one of these failed.
    await views.activity();
    await views.status();
    await serving.visit("/");
  };
  let isStopped = false;
  let cancel = clock.after(AFTER_START_MS, () => {
    void count()
      .catch((error: unknown) => log.debug("the overview could not be visited ahead", { error }))
      .finally(() => {
        if (!isStopped) cancel = clock.after(COLLECT_AFTER_MS, collectGarbage);
      });
  });
  return () => {
    isStopped = true;
    cancel();
  };
}
