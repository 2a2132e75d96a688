/** The strategy by which a group was read last, as it is stored under its key. */
import type { JsonObject } from "../../model/json.ts";
import type { ActiveStrategy } from "../../plan/rates/learned.ts";

/** Undefined before one was chosen. */
export function restoreStrategy({ strategy, chosenAtMs }: JsonObject): ActiveStrategy | undefined {
  const isKnown = strategy === "single" || strategy === "probe" || strategy === "merge";
  return isKnown && typeof chosenAtMs === "number" && chosenAtMs > 0 ? { strategy } : undefined;
}
