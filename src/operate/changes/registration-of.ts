/**
 * Returns the facts that the state stores about a configured watch: its targets, by the keys under
 * which their memory is stored.
 */
import type { Hash } from "../../model/hash.ts";
import type { WatchRegistration } from "../../model/watch-store.ts";
import type { Watch } from "../../model/watch.ts";
import { targetsOf } from "../../plan/polls/plan-polls.ts";
import { watchTypeOf } from "../../watches/registry.ts";

export function registrationOf(hash: Hash, watch: Watch): WatchRegistration {
  const targets = targetsOf(hash, watch, watchTypeOf(watch)).map(({ key, name, userId }) => ({
    key,
    name,
    userId,
  }));
  return {
    id: watch.id,
    type: watch.type,
    enabled: watch.enabled,
    targets,
    movedFrom: watch.movedFrom,
  };
}
