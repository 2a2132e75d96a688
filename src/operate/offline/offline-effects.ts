/**
 * Carries out the changes of a command when no daemon runs here. Daemons on other machines that use
 * the same state are notified. If there are none, the next daemon that starts reads the change.
 */
import type { Config } from "../../config/config.ts";
import { probeInState, resumeInState } from "../../deliver/outcome/resume-in-state.ts";
import type { Clock } from "../../model/clock.ts";
import type { Hash } from "../../model/hash.ts";
import { planPolls } from "../../plan/polls/plan-polls.ts";
import type { Poll } from "../../polling/watch-poll.ts";
import { createTimetable } from "../../schedule/timetable.ts";
import type { OpenedStore } from "../../state/open.ts";
import { type Effects, effectText } from "../actions/actions.ts";
import { feedsOf } from "../backfill/backfill-polls.ts";
import { watchTypeOf } from "../../watches/registry.ts";
import { createActiveWatches } from "../alerts/active-watches.ts";
import { placeOfSink } from "../alerts/create-sink.ts";
import { createRouting } from "../alerts/routing.ts";
import { createActiveSilences } from "../alerts/silences.ts";
import { planWatches } from "../plan/configured-polls.ts";
import { notRunning } from "./not-running.ts";

export interface OfflineEffectsDeps {
  readonly store: OpenedStore;
  readonly config: Config;
  readonly clock: Clock;
  readonly hash: Hash;
}

export function createOfflineEffects(deps: OfflineEffectsDeps): Effects {
  const { store, config, clock } = deps;
  const announce = async () => {
    if (config.state.postgres !== undefined) await store.announce("all");
  };
  /**
   * Makes every failing sink due for an attempt. A state in an SQLite file does not need this,
   * because the next start tries every sink.
   */
  const probe = async () => {
    if (config.state.postgres !== undefined) await probeInState(store, () => true, clock.now());
    await announce();
  };
  return {
    async describe(soon) {
      const replicas = await store.connectedReplicas();
      return replicas.length === 0 ? "at the next start" : effectText(soon, replicas);
    },
    watchChanged: announce,
    silencesChanged: announce,
    alertsDue: probe,
    eventsCommitted: probe,
    alertsMarked: announce,
    async resumeSink(name) {
      const sink = config.sinks.find((one) => one.name === name);
      if (sink === undefined) return undefined;
      const place = sink.settings === undefined ? undefined : placeOfSink(sink);
      const resumed = await resumeInState(store, { sink: name, place }, clock.now());
      await announce();
      return resumed;
    },
    async reload() {
      await store.signals.send("reload");
      const replicas = await store.connectedReplicas();
      if (replicas.length === 0) throw notRunning(config.state);
      return { ok: true, asked: replicas.length };
    },
    feedsOf: (watchId) => feedsInState(deps, watchId),
  };
}

/**
 * Plans the polls of the watch as a daemon that starts now would, and returns those that read
 * feeds.
 */
async function feedsInState(
  { store, config, clock, hash }: OfflineEffectsDeps,
  watchId: string,
): ReturnType<Effects["feedsOf"]> {
  const [state] = await store.listWatches([watchId]);
  const planned = planWatches(config, hash, state === undefined ? [] : [state]).get(watchId);
  const polls =
    planned === undefined
      ? []
      : planPolls([planned], { hash, timetable: createTimetable(), nowMs: clock.now() });
  const silences = createActiveSilences(store, clock);
  await silences.load();
  const routing = createRouting(config, silences.all);
  const active = createActiveWatches(() => routing);
  if (planned !== undefined && state !== undefined)
    active.set([{ watch: planned.watch, state, type: watchTypeOf(planned.watch) }]);
  return { polls: feedsOf(polls as readonly Poll[], watchId), route: active.route };
}
