/**
 * Paces a group of accounts that has a `freshness` setting: each run requests only some of the
 * accounts, and the results of a run decide when the next one is due.
 */
import { type Clock, passedMs } from "../../../model/clock.ts";
import type { Freshness, Priority } from "../../../model/schedule.ts";
import { longestWaitMs } from "../../../plan/delay-aims.ts";
import type { Poll } from "../../../polling/watch-poll.ts";
import { membersOf } from "../../memory/group-members.ts";
import type { GroupMemory } from "../group-memory.ts";
import type { GroupProbes } from "../../probing/group-probes.ts";
import { spareSlotTasks } from "../spare-slot-tasks.ts";
import { probeAlgorithm } from "./group-algorithms.ts";
import { isTooSoon, waitAfter } from "./group-pace.ts";
import type { GroupPacer, ProbedRun } from "./group-pacer.ts";
import { NOBODYS_TURN, type Turns } from "./turns.ts";

export interface FreshnessPacerDeps {
  readonly turns: Turns;
  /** The punctuality of each group since the process started, by the group's key. */
  readonly punctuality: Map<string, Punctuality>;
  readonly probes: Pick<GroupProbes, "applyRecent">;
  readonly clock: Clock;
  /**
   * Returns the factor by which polls of a priority are slowed down while the quota is short; 1 if
   * they are not.
   */
  readonly slowDownOf: (priority: Priority) => number;
  /** Returns what a group has learned; undefined before its first run. */
  readonly memoryOf: (group: Poll) => GroupMemory | undefined;
}

/**
 * Shows whether the runs of a group are on time. After a late run, the delays of posts do not show
 * how good the pace is until every account was requested once more.
 */
interface Punctuality {
  readonly dueMs: number;
  /** When a run was last late, slowed down by the quota, or answered suspiciously, in epoch ms. */
  readonly lateAtMs: number;
}

export function createFreshnessPacer(
  group: Poll,
  freshness: Freshness,
  deps: FreshnessPacerDeps,
): GroupPacer {
  const { turns, punctuality, probes, clock, slowDownOf, memoryOf } = deps;
  const algorithm = probeAlgorithm(freshness);
  const paceNow = (memory: GroupMemory) => ({
    memory,
    factor: slowDownOf(group.priority),
    nowMs: clock.now(),
  });
  const isLate = ({ startedAtMs, answer }: ProbedRun, nowMs: number): boolean => {
    const dueMs = punctuality.get(group.key)?.dueMs ?? Number.NEGATIVE_INFINITY;
    return (
      answer === "suspicious" ||
      Math.max(startedAtMs - dueMs, nowMs - startedAtMs) > group.intervalMs
    );
  };
  return {
    fillsSpareSlots: true,
    turn({ members, startedAtMs: nowMs }, memory, isExtra) {
      const isHelped = members.filter((member) => probes.applyRecent(member)).length > 0 || isExtra;
      const turn = { ...paceNow(memory), waiting: turns(members, memory.profile, nowMs), nowMs };
      return isHelped && isTooSoon(algorithm, turn) ? NOBODYS_TURN : algorithm.choose(turn);
    },
    fill({ members, memory }, query) {
      const waiting = () => turns(members, memory.profile, query.nowMs);
      return spareSlotTasks({ ...query, waiting, limits: memory.limits });
    },
    after(run, plan, news) {
      const { members, memory, asked, awaited, startedAtMs } = run;
      const turn = { ...paceNow(memory), waiting: turns(members, memory.profile, clock.now()) };
      const hasProbed = asked.length > 0;
      // If this run sent no probe, its posts were shown by the requests of other groups, and their
      // delays say nothing about this group's own pace.
      const delaysMs = hasProbed ? news.delaysMs : [];
      const { nowMs, factor } = turn;
      const lateAtMs =
        factor > 1 || isLate(run, nowMs) ? nowMs : (punctuality.get(group.key)?.lateAtMs ?? nowMs);
      const isPaced = passedMs(lateAtMs, nowMs) > longestWaitMs(freshness);
      const found = { awaited: [awaited, plan.awaited], hasProbed, delaysMs, startedAtMs, isPaced };
      const paced = { ...memory, ...algorithm.after({ ...turn, ...found }) };
      const nextDueMs = nowMs + waitAfter(algorithm, { ...turn, memory: paced });
      punctuality.set(group.key, { dueMs: nextDueMs, lateAtMs });
      return { memory: paced, nextDueMs };
    },
    nextDueMs() {
      const memory = memoryOf(group);
      if (memory === undefined) return undefined;
      const turn = {
        ...paceNow(memory),
        waiting: turns(membersOf(group), memory.profile, clock.now()),
      };
      return turn.nowMs + waitAfter(algorithm, turn);
    },
  };
}
