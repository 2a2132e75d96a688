/**
 * Predicts when a poll runs next, as the daemon would schedule it. Pure. rhythm.ts computes how
 * often it runs.
 */
import { firstTicks, type Timetable } from "../schedule/timetable.ts";
import type { Poll } from "../plan/poll.ts";
import type { PlacedRuns } from "../groups/kind/group-kind.ts";
import { schedulesOf } from "../plan/timing.ts";
import { earliestTick } from "./rhythm.ts";
import { gridTicks, isAligned } from "../plan/polls/tick-grid.ts";

const DAY_MS = 86_400_000;

export interface RunsQuery {
  readonly timetable: Timetable;
  readonly nowMs: number;
  /** The next ticks of the poll's schedules after `nowMs`. The result has as many runs. */
  readonly ticksMs: readonly number[];
  /** When the poll ran last; undefined if it never ran. */
  readonly lastPolledMs: number | undefined;
  /**
   * The predicted runs of a poll that has a `freshness` instead of a schedule; undefined for any
   * other poll.
   */
  readonly placed: PlacedRuns | undefined;
}

/**
 * Returns the next runs, in epoch ms, for a daemon that runs or is started now. Intervals are
 * counted from the last run, unless a run was missed since.
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
    ...firstTicks(earliestTick(schedules, timetable), first, ticksMs.length - 1),
  ]);
}

/**
 * Returns evenly spaced runs of a poll with a `freshness`, which has no ticks. `perDay` is how
 * often its probes and reads run on an average day. There are no runs if the requests of other
 * polls do its work.
 */
function evenRuns(perDay: number, nowMs: number, count: number): readonly number[] {
  if (perDay < 1) return [];
  return Array.from({ length: count }, (_, run) =>
    Math.round(nowMs + ((run + 1) * DAY_MS) / perDay),
  );
}
