/**
 * Makes a failing scenario smaller as long as it fails for the same reason: fewer steps, less
 * configuration, less history.
 */
import type { Json, JsonObject } from "../../../src/model/json.ts";
import type { Scenario, Step } from "../draw/scenario.ts";
import { playScenario } from "./play-seed.ts";

/** Returns an objection without its names and numbers. */
const kindOf = (objection: string): string =>
  objection
    .split("\n", 1)[0]!
    .replace(/[^a-z ]+/gi, " ")
    .replace(/\b[a-z]?\b/gi, " ")
    .trim()
    .split(/ +/)
    .slice(0, 4)
    .join(" ");

/** Shrinks a scenario. @param isLate returns whether enough time was spent */
export async function shrink(
  scenario: Scenario,
  objections: readonly string[],
  isLate: () => boolean,
): Promise<Scenario> {
  const kinds = new Set(objections.map(kindOf));
  const fails = async (candidate: Scenario): Promise<boolean> =>
    (await playScenario(candidate)).objections.some((text) => kinds.has(kindOf(text)));
  let best = scenario;
  const tryIt = async (candidate: Scenario): Promise<boolean> => {
    if (isLate() || !(await fails(candidate))) return false;
    best = candidate;
    return true;
  };
  for (const part of ["steps", "before"] as const) {
    for (
      let size = Math.ceil(best[part].length / 2);
      size >= 1 && !isLate();
      size = size === 1 ? 0 : Math.ceil(size / 2)
    )
      for (let at = best[part].length - size; at > -size; at -= size) {
        const from = Math.max(0, at);
        const cut = best[part].slice(from, at + size).filter((step) => !isMended(step));
        if (cut.length > 0)
          await tryIt({
            ...best,
            [part]: best[part].filter((step) => !cut.includes(step as never)),
          });
      }
  }
  for (const path of pathsOf(best.config))
    await tryIt({ ...best, config: without(best.config, path) });
  return best;
}

/**
 * Whether a step ends a trouble. Such steps stay: without them everything expected could rightly be
 * missing for ever.
 */
const isMended = ({ do: what }: Step): boolean =>
  what === "service heals" || what === "sink heals" || what === "resume";

/**
 * Returns the paths of all keys, inner keys first. What remains of a section may be needed even if
 * the whole section cannot go.
 */
function pathsOf(value: Json, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value)
    .flatMap(([key, inner]) => [...pathsOf(inner as Json, [...path, key]), [...path, key]])
    .reverse();
}

function without(value: JsonObject, [key = "", ...rest]: readonly string[]): JsonObject {
  const copy: Record<string, Json> | Json[] = Array.isArray(value)
    ? [...(value as Json[])]
    : { ...(value as Record<string, Json>) };
  const inner = (copy as Record<string, Json>)[key];
  if (inner === undefined) return value;
  if (rest.length > 0) (copy as Record<string, Json>)[key] = without(inner as JsonObject, rest);
  else if (Array.isArray(copy)) copy.splice(Number(key), 1);
  else delete copy[key];
  return copy as JsonObject;
}
