/** Which accounts are asked for in the same instant already, whoever asks: their profiles come in the same requests. Pure arithmetic. */
import { BATCH_SIZE } from "../../model/batch.ts";

import { schedulesKey } from "../../plan/polls/group-spread.ts";
import type { Poll } from "../../plan/poll.ts";
import { sum } from "../../plan/sum.ts";
import { commonMultiple, gridStepMs } from "../../plan/polls/tick-grid.ts";

export interface SharedProbes {
  /** Requests a run more, on average, when these accounts are asked for on the schedules of `poll` beside all that were added. */
  more(poll: Pick<Poll, "timing">, userIds: readonly string[]): number;
  /** The same, and from now on they are asked for. */
  add(poll: Pick<Poll, "timing">, userIds: readonly string[]): number;
  /** Whether anybody is asked for on these schedules. */
  has(poll: Pick<Poll, "timing">): boolean;
}

/** Those of one schedule. */
interface Asked {
  readonly key: string;
  /** Its ticks are the multiples of this; undefined where they meet no other schedule's for sure. */
  readonly stepMs: number | undefined;
  readonly userIds: Set<string>;
}

/** Odd intervals meet in so long that more of their ticks add little. */
const MOST_RUNS = 2_000;

export function createSharedProbes(): SharedProbes {
  const bySchedule = new Map<string, Asked>();

  const more = (poll: Pick<Poll, "timing">, userIds: readonly string[]): number => {
    const meetings = meetingsOf(schedulesKey(poll), gridStepMs(poll), [...bySchedule.values()]);
    const all = sum(meetings, ({ runs }) => runs);
    return sum(meetings, ({ asked, runs }) => (runs / all) * requestsMore(asked, userIds));
  };

  return {
    more,
    add(poll, userIds) {
      const added = more(poll, userIds);
      const key = schedulesKey(poll);
      const asked = bySchedule.get(key) ?? { key, stepMs: gridStepMs(poll), userIds: new Set() };
      for (const id of userIds) asked.userIds.add(id);
      bySchedule.set(key, asked);
      return added;
    },
    has: (poll) => bySchedule.has(schedulesKey(poll)),
  };
}

interface Meeting {
  readonly asked: readonly Asked[];
  runs: number;
}

/** With whom a schedule's ticks fall together, and how often in as many runs as it takes until everything comes again. */
function meetingsOf(key: string, stepMs: number | undefined, all: readonly Asked[]): readonly Meeting[] {
  const own = all.filter((asked) => asked.key === key);
  if (stepMs === undefined) return [{ asked: own, runs: 1 }];
  const others = all.filter((asked) => asked.key !== key && asked.stepMs !== undefined);
  const meetings = new Map<string, Meeting>();
  const runs = Math.min(MOST_RUNS, others.reduce((span, asked) => commonMultiple(span, asked.stepMs ?? 1), stepMs) / stepMs);
  for (let run = 1; run <= runs; run += 1) {
    const met = others.filter((asked) => (run * stepMs) % (asked.stepMs ?? 1) === 0);
    const name = met.map((asked) => asked.key).join();
    const meeting = meetings.get(name) ?? { asked: [...own, ...met], runs: 0 };
    meeting.runs += 1;
    meetings.set(name, meeting);
  }
  return [...meetings.values()];
}

function requestsMore(asked: readonly Asked[], userIds: readonly string[]): number {
  const before = new Set(asked.flatMap((one) => [...one.userIds]));
  const after = new Set([...before, ...userIds]);
  return Math.ceil(after.size / BATCH_SIZE) - Math.ceil(before.size / BATCH_SIZE);
}
