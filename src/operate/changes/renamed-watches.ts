/**
 * Finds watches that seem to have been renamed since the state was written. Without `moved_from`
 * their memory would be left behind.
 */
import type { Config, ConfigIssue } from "../../config/config.ts";
import type { Hash } from "../../model/hash.ts";
import type { WatchState } from "../../model/watch-store.ts";
import { registrationOf } from "./registration-of.ts";

/**
 * Returns a warning for each watch that is new in the file but looks like a renamed one: the state
 * knows a watch of the same type with a common target, and the file no longer has that watch.
 */
export function renamedWatches(
  config: Config,
  states: readonly WatchState[],
  hash: Hash,
): readonly ConfigIssue[] {
  const inFile = new Set(config.watches.flatMap(({ id, movedFrom = id }) => [id, movedFrom]));
  const known = new Set(states.map(({ id }) => id));
  const left = states.filter(({ id }) => !inFile.has(id));
  return config.watches.flatMap((watch) => {
    if (known.has(watch.id) || watch.movedFrom !== undefined) return [];
    const keys = new Set(registrationOf(hash, watch).targets.map(({ key }) => key));
    const former = left.find(
      ({ type, targets }) => type === watch.type && targets.some(({ key }) => keys.has(key)),
    );
    const place = config.watchPlaces[watch.id];
    if (former === undefined || place === undefined) return [];
    const message = `\`${watch.id}\` looks like the watch \`${former.id}\` that the state knows: write \`moved_from: ${former.id}\` if it was only renamed; otherwise it starts with a new baseline`;
    return [{ severity: "warning", ...place, rule: "renamed-watch", message }];
  });
}
