/**
 * Checks `defaults.watch` and `defaults.sink.<type>`: `defaults.watch` completely, and of the
 * defaults of sinks only the keys, even if no watch or sink inherits them.
 */
import type { BuildDeps } from "./build-deps.ts";
import { checkValue } from "../check/check-value.ts";
import { sinkKeys } from "./build-sink.ts";
import { didYouMean } from "../suggest.ts";
import { type Entry, entriesOf, type Node } from "../tree.ts";
import { COMMON_WATCH_KEYS, watchDefaultsSchema } from "../schema/watch-schema.ts";
import { unknownKey } from "../check/zod-words.ts";

export function checkDefaults(section: Node | undefined, deps: BuildDeps): void {
  for (const entry of entriesOf(section)) {
    if (entry.key === "watch") checkWatchDefaults(entry, deps);
    else if (entry.key === "sink")
      for (const type of entriesOf(entry.node)) checkSinkDefaults(type, deps);
    else if (!entry.key.startsWith("x-")) {
      const found = unknownKey(entry.key, entry.keyPlace, ["watch", "sink"]);
      deps.report.error(found.place, found.rule, found.message);
    }
  }
}

function checkWatchDefaults(entry: Entry, deps: BuildDeps): void {
  if (entry.node.kind !== "map")
    deps.report.error(entry.keyPlace, "wrong-type", "`defaults.watch` must be a map");
  else
    checkValue(watchDefaultsSchema, entry.node, {
      report: deps.report,
      place: entry.keyPlace,
      name: "defaults.watch",
      otherKeys: COMMON_WATCH_KEYS,
    });
}

/**
 * Checks the keys. Values are checked where a sink inherits them, because only then is it complete.
 */
function checkSinkDefaults(entry: Entry, deps: BuildDeps): void {
  const type = deps.sinkTypes.find((one) => one.type === entry.key);
  if (type === undefined) {
    const known = deps.sinkTypes.map((one) => one.type);
    deps.report.error(
      entry.keyPlace,
      "sink-type",
      `"${entry.key}" is not a sink type${didYouMean(entry.key, known) || `; known here: ${known.join(", ")}`}`,
    );
    return;
  }
  for (const child of entriesOf(entry.node)) {
    if (child.key.startsWith("x-") || sinkKeys(type).includes(child.key)) continue;
    const found = unknownKey(child.key, child.keyPlace, sinkKeys(type));
    deps.report.error(found.place, found.rule, found.message);
  }
}
