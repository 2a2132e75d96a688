/**
 * Converts the watches of the configuration to the form in which the state and the engine use them.
 */
import type { Config } from "../../config/config.ts";
import type { EngineWatch } from "../../engine/planned-watches.ts";
import type { Clock } from "../../model/clock.ts";
import type { Hash } from "../../model/hash.ts";
import type { Log } from "../../model/log.ts";
import type { Share } from "../../model/replicas.ts";
import { forEachInSteps, yieldAfter, yieldBetween } from "../../model/steps.ts";
import type { Store } from "../../model/store.ts";
import type { Watch } from "../../model/watch.ts";
import type { WatchRegistration, WatchState } from "../../model/watch-store.ts";
import { watchTypeOf } from "../../watches/registry.ts";
import { type EditedQueriesStore, lastReadsOfEdited } from "./edited-queries.ts";
import { registrationOf } from "../../operate/changes/registration-of.ts";

/** Returns the enabled watches. Only these are polled. */
export const enabledOf = (watches: readonly EngineWatch[]): readonly EngineWatch[] =>
  watches.filter(({ watch }) => watch.enabled);

export interface RegistrationDeps {
  readonly store: Pick<Store, "registerWatches"> & EditedQueriesStore;
  readonly hash: Hash;
  readonly clock: Clock;
  readonly log: Log;
  readonly share: Pick<Share, "isLeading" | "announce">;
}

/**
 * Registers every watch. Disabled watches are registered too, so that they keep their memory. With
 * several replicas, only the leader registers watches; the other replicas read what the leader has
 * registered. If they read before the leader was done, they read again when it has registered
 * something new.
 */
export async function registerConfiguredWatches(
  config: Config,
  deps: RegistrationDeps,
): Promise<readonly EngineWatch[]> {
  const states = deps.share.isLeading()
    ? await register(config, deps)
    : await deps.store.listWatches();
  await yieldAfter(states);
  const stateOf = new Map(states.map((state) => [state.id, state]));
  return config.watches.flatMap((watch) => {
    const state = stateOf.get(watch.id);
    return state === undefined ? [] : [{ watch, type: watchTypeOf(watch), state }];
  });
}

async function register(
  { watches }: Config,
  { store, hash, clock, log, share }: RegistrationDeps,
): Promise<readonly WatchState[]> {
  let isNew = false;
  const registrations: WatchRegistration[] = [];
  await yieldBetween(
    forEachInSteps(watches, (watch) => registrations.push(registrationOf(hash, watch))),
  );
  const feeds = new Set(watches.filter(readsFeed).map(({ id }) => id));
  const states = await store.registerWatches(
    registrations,
    clock.now(),
    () => (isNew = true),
    await lastReadsOfEdited(
      registrations.filter(({ id }) => feeds.has(id)),
      store,
    ),
  );
  const onNotAnnounced = (error: unknown) =>
    log.debug("other replicas were not notified of new watches", { error });
  if (isNew) await share.announce("all").catch(onNotAnnounced);
  return states;
}

const readsFeed = (watch: Watch): boolean => watchTypeOf(watch).detection.detector === "feed";
