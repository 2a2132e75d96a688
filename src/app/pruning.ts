/**
 * Deletes data that is older than the retention allows, soon after the start and then once a day.
 */
import { repeat } from "../engine/health/repeat.ts";
import type { Poll } from "../polling/watch-poll.ts";
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
  readonly polls: () => readonly Poll[];
}): Cancel {
  const { clock, store, log } = deps;
  return repeat({
    clock,
    firstAfterMs: FIRST_AFTER_MS,
    everyMs: EVERY_MS,
    work: () => store.prune(clock.now(), deps.retentionMs(), sourcesOf(deps.polls())),
    onError: (error) => log.warn("old state could not be pruned", { error: errorText(error) }),
  });
}

const sourcesOf = (polls: readonly Poll[]): ReadonlySet<string> =>
  new Set(
    polls.flatMap(({ key, group }) => [key, ...(group?.members ?? []).map((member) => member.key)]),
  );
