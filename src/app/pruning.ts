/**
 * Deletes data that is older than the retention allows, soon after the start and then once a day.
 */
import { repeat } from "../engine/health/repeat.ts";
import type { Poll } from "../polling/watch-poll.ts";
import type { Cancel, Clock } from "../model/clock.ts";
import { errorText } from "../model/errors.ts";
import type { Log } from "../model/log.ts";
import type { Upkeep } from "../model/store.ts";
import { yieldToEventLoop } from "../model/steps.ts";

const FIRST_AFTER_MS = 60_000;
const EVERY_MS = 86_400_000;

/** Returns a function that stops the pruning. A run that is under way ends at its next page. */
export function startPruning(deps: {
  readonly store: Pick<Upkeep, "prune">;
  readonly clock: Clock;
  readonly log: Log;
  readonly retentionMs: () => number;
  readonly polls: () => readonly Poll[];
}): Cancel {
  const { clock, store, log } = deps;
  const stop = new AbortController();
  const pause = async (): Promise<void> => {
    await yieldToEventLoop();
    stop.signal.throwIfAborted();
  };
  const cancel = repeat({
    clock,
    firstAfterMs: FIRST_AFTER_MS,
    everyMs: EVERY_MS,
    work: () => store.prune(clock.now(), deps.retentionMs(), sourcesOf(deps.polls()), pause),
    onError(error) {
      if (!stop.signal.aborted)
        log.warn("old state could not be pruned", { error: errorText(error) });
    },
  });
  return () => {
    stop.abort();
    cancel();
  };
}

const sourcesOf = (polls: readonly Poll[]): ReadonlySet<string> =>
  new Set(
    polls.flatMap(({ key, group }) => [key, ...(group?.members ?? []).map((member) => member.key)]),
  );
