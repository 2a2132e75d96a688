/** Deletes what the retention no longer keeps, soon after the start and once a day. */
import type { Cancel, Clock } from "../model/clock.ts";
import { errorText } from "../model/errors.ts";
import type { Log } from "../model/log.ts";
import type { Upkeep } from "../model/store.ts";
import type { Poll } from "../engine/watch-poll.ts";

const FIRST_AFTER_MS = 60_000;
const EVERY_MS = 86_400_000;

export function startPruning(deps: {
  readonly store: Pick<Upkeep, "prune">;
  readonly clock: Clock;
  readonly log: Log;
  readonly retentionMs: () => number;
  readonly polls: () => readonly Poll[];
}): Cancel {
  let cancel: Cancel = deps.clock.after(FIRST_AFTER_MS, prune);
  let isStopped = false;
  function prune(): void {
    deps.store
      .prune(deps.clock.now(), deps.retentionMs(), sourcesOf(deps.polls()))
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

const sourcesOf = (polls: readonly Poll[]): ReadonlySet<string> =>
  new Set(polls.flatMap(({ key, group }) => [key, ...(group?.members ?? []).map((member) => member.key)]));
