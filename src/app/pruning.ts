/** Deletes what the retention no longer keeps, soon after the start and once a day. */
import type { Cancel, Clock } from "../model/clock.ts";
import { errorText } from "../model/errors.ts";
import type { Log } from "../model/log.ts";
import type { Upkeep } from "../model/store.ts";

const FIRST_AFTER_MS = 60_000;
const EVERY_MS = 86_400_000;

export function startPruning(deps: {
  readonly store: Pick<Upkeep, "prune">;
  readonly clock: Clock;
  readonly log: Log;
  readonly retentionMs: () => number;
}): Cancel {
  let cancel: Cancel = deps.clock.after(FIRST_AFTER_MS, prune);
  let isStopped = false;
  function prune(): void {
    deps.store
      .prune(deps.clock.now(), deps.retentionMs())
      .catch((error: unknown) => deps.log.warn("old state could not be pruned", { error: errorText(error) }))
      .finally(() => {
        if (!isStopped) cancel = deps.clock.after(EVERY_MS, prune);
      });
  }
  return () => {
    isStopped = true;
    cancel();
  };
}
