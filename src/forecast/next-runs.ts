/**
 * When a poll runs next, as the daemon places it. Pure; how often it runs at all is rhythm.ts's.
 */
import { takeTicks, type Timetable } from "../schedule/timetable.ts";
import type { Poll } from "../plan/poll.ts";
import type { PlacedRuns } from "../groups/kind/group-kind.ts";
import { schedulesOf } from "../plan/timing.ts";
import { earliestTick } from "./rhythm.ts";
import { gridTicks, isAligned } from "../plan/polls/tick-grid.ts";

const DAY_MS = 86_400_000;

export interface RunsQuery {
  readonly timetable: Timetable;
  readonly nowMs: number;
  /** The next ticks of its schedules after `nowMs`, as many as are asked for. */
  readonly ticksMs: readonly number[];
  /** Undefined before it ever ran. */
  readonly lastPolledMs: number | undefined;
  /** Undefined where its schedules say when. */
  readonly placed: PlacedRuns | undefined;
}

/**
 * Of a daemon that runs, or else would be started now: intervals count from the last run, unless
 * one was missed since.
 */
export function nextRuns(
  poll: Poll,
  { timetable, nowMs, ticksMs, lastPolledMs, placed }: RunsQuery,
): readonly number[] {
  if (placed?.perDay !== undefined) return evenRuns(placed.perDay, nowMs, ticksMs.length);
  const { spreadMs } = poll;
  const schedules = schedulesOf(poll.timing);
  const spread = (ticks: readonly number[]) => ticks.map((tickMs) => tickMs + spreadMs);
  if (isAligned(poll)) return spread(gridTicks(poll, timetable, nowMs, ticksMs.length));
  const first =
    lastPolledMs === undefined
      ? nowMs
      : Math.min(...schedules.map((one) => timetable.nextDue(one, lastPolledMs - spreadMs)));
  if (lastPolledMs === undefined || first + spreadMs <= nowMs) return spread(ticksMs);
  return spread([
    first,
    ...takeTicks(earliestTick(schedules, timetable), first, ticksMs.length - 1),
  ]);
}

/**
 * What is placed by freshness has no ticks: rounds come evenly, probes and reads so often on
 * average, and none where others' requests do.
 */
function evenRuns(perDay: number, nowMs: number, count: number): readonly number[] {
  if (perDay < 1) return [];
  return Array.from({ length: count }, (_, run) =>
    Math.round(nowMs + ((run + 1) * DAY_MS) / perDay),
  );
}
