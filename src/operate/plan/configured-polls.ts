/**
 * Plans the polls of a configuration from a state, in the same way as the daemon. Used by commands
 * when no daemon runs.
 */
import type { Config } from "../../config/config.ts";
import type { Hash } from "../../model/hash.ts";
import type { Watch } from "../../model/watch.ts";
import type { WatchState } from "../../model/watch-store.ts";
import { assumeTargets } from "../../forecast/forecast.ts";
import { fullReadPages, stateOf } from "../../plan/polls/full-read.ts";
import { withAccountIds } from "../../plan/polls/named-accounts.ts";
import { groupPolls } from "../../groups/group-polls.ts";
import {
  type PlanDeps,
  type PlannedWatch,
  planPolls,
  targetsOf,
} from "../../plan/polls/plan-polls.ts";
import type { Poll } from "../../plan/poll.ts";
import { watchTypeOf } from "../../watches/registry.ts";

export interface KnownPollsDeps extends PlanDeps {
  readonly states: readonly WatchState[];
}

/** Returns the polls of a configuration, grouped as the daemon groups them. */
export const pollsOf = (
  planned: readonly PlannedWatch[],
  { states, ...deps }: KnownPollsDeps,
): readonly Poll[] =>
  groupPolls(planPolls(planned, deps), {
    hash: deps.hash,
    pagesOf: (poll) => fullReadPages(poll, states),
  });

/** Returns the enabled watches by id, with their targets as the state knows them. */
export const planWatches = (
  config: Config,
  hash: Hash,
  states: readonly WatchState[],
): ReadonlyMap<string, PlannedWatch> =>
  new Map(
    config.watches
      .filter((watch) => watch.enabled)
      .map((watch) => [watch.id, planOf(watch, hash, states)]),
  );

function planOf(watch: Watch, hash: Hash, states: readonly WatchState[]): PlannedWatch {
  const type = watchTypeOf(watch);
  const state = stateOf(watch, states);
  const watchKey = state?.key ?? watch.id;
  const targets = assumeTargets(watchKey, targetsOf(hash, watch, type), state?.targets ?? []);
  return {
    watch: withAccountIds(watch, type, state?.accounts ?? {}),
    type,
    watchKey,
    paused: state?.paused ?? false,
    targets,
  };
}
