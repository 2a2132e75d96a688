/** How alerts are shaped on their way, from what is written on a sink or a route: hours and digests. */
import type { ScheduledDigest, Shaping } from "../../route/route.ts";
import type { Timetable } from "../../schedule/timetable.ts";
import { DEFAULTS } from "../defaults.ts";
import type { WrittenDigest, WrittenShaping } from "../schema/route-schema.ts";
import { findNode, type MapNode, type Place } from "../tree.ts";
import type { WhereBody } from "../where/where-types.ts";
import { buildMuting, type MutingDeps } from "./build-intervals.ts";
import { readSchedule } from "./schedule.ts";
import { describeUnknownNumber, numberReader } from "./sort-numbers.ts";

export interface ShapingDeps extends MutingDeps {
  readonly timetable: Timetable;
  /** Of every event that may come. */
  readonly body: WhereBody;
}

/** `map`: the route or the sink that they are keys of. */
export function buildShaping(written: WrittenShaping, at: { readonly map: MapNode; readonly keyPlace: Place }, deps: ShapingDeps): Shaping {
  const { digest } = written;
  const built = digest === undefined || digest === false ? digest : buildDigest(digest, at, deps);
  return { ...buildMuting(written, at, deps), ...(built === undefined ? {} : { digest: built }) };
}

function buildDigest(
  { schedule: written, max_items: maxItems, sort_by: sortBy }: WrittenDigest,
  { map, keyPlace }: { readonly map: MapNode; readonly keyPlace: Place },
  { report, timetable, body }: ShapingDeps,
): ScheduledDigest | undefined {
  const placeOf = (key: string): Place => {
    const { node, place } = findNode(map, ["digest", key], keyPlace);
    return node?.place ?? place;
  };
  const schedule = readSchedule(written, DEFAULTS.digest.timezone, timetable);
  if (typeof schedule === "string") report.error(placeOf("schedule"), "schedule", schedule);
  const unknown = sortBy === undefined ? undefined : describeUnknownNumber(sortBy, body);
  if (unknown !== undefined) report.error(placeOf("sort_by"), "sort-by", unknown);
  if (typeof schedule === "string" || unknown !== undefined) return undefined;
  return {
    nextAtMs:
      schedule.kind === "every"
        ? // On multiples of the interval: the next one is the same after a restart.
          (epochMs) => (Math.floor(epochMs / schedule.intervalMs) + 1) * schedule.intervalMs
        : (epochMs) => timetable.nextDue(schedule, epochMs),
    maxItems,
    ...(sortBy === undefined ? {} : { sortBy: numberReader(sortBy) }),
  };
}
