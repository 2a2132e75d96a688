/** How a group was read last, by what was stored of it. */
import type { JsonObject } from "../model/json.ts";
import type { WayInForce } from "../plan/rates/learned.ts";
import { growLimits } from "../query/merging/merge.ts";
import type { Poll as PlannedPoll } from "../plan/poll.ts";
import { isAlone, restoreSearches, type SearchGroupMemory } from "./searches/search-memory.ts";

/** How a group of searches or lists was read at last, by what was stored under its key; undefined before that was chosen. */
export function wayInForce({ group }: Pick<PlannedPoll, "group">, stored: JsonObject, nowMs: number): WayInForce | undefined {
  if (group?.kind === "rosters") return readWay(stored);
  if (group?.kind !== "searches") return undefined;
  const way = readWay(stored);
  if (way === undefined) return undefined;
  const { limits, members } = restoreSearches(stored as Partial<SearchGroupMemory>);
  const alone = Object.entries(members).flatMap(([key, member]) => (isAlone(member, nowMs) || member.isBusy === true ? [key] : []));
  return { ...way, limits: growLimits(limits, nowMs), alone: new Set(alone) };
}

function readWay({ strategy, chosenAtMs }: JsonObject): WayInForce | undefined {
  const isKnown = strategy === "single" || strategy === "probe" || strategy === "merge";
  return isKnown && typeof chosenAtMs === "number" && chosenAtMs > 0 ? { strategy } : undefined;
}
