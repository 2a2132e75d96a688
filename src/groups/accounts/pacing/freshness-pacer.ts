/** A group of accounts under freshness: each run requests the accounts that are due, and its results decide when the next run is. */
import type { Clock } from "../../../model/clock.ts";
import type { Priority } from "../../../model/schedule.ts";
import type { Poll } from "../../../polling/watch-poll.ts";
import { membersOf } from "../../memory/group-members.ts";
import type { GroupMemory } from "../group-memory.ts";
import type { GroupProbes } from "../group-probes.ts";
import { spareSlotTasks } from "../spare-slot-tasks.ts";
import type { LearnedPace } from "./group-algorithms.ts";
import { isTooSoon, type ProbeAlgorithm, waitAfter } from "./group-pace.ts";
import type { GroupPacer } from "./group-pacer.ts";
import type { OnTime } from "./on-time.ts";
import { NOBODYS_TURN, type Turns } from "./turns.ts";

export interface FreshnessPacerDeps {
  readonly turns: Turns;
  readonly onTime: OnTime;
  readonly probes: Pick<GroupProbes, "isSeenByOthers">;
  readonly clock: Clock;
  /** How much slower polls of a priority go while the quota is short. */
  readonly slowDownOf: (priority: Priority) => number;
  /** What a group has learned; undefined before its first run. */
  readonly memoryOf: (group: Poll) => GroupMemory | undefined;
}

export function createFreshnessPacer(group: Poll, algorithm: ProbeAlgorithm<LearnedPace>, deps: FreshnessPacerDeps): GroupPacer {
  const { turns, onTime, probes, clock, slowDownOf, memoryOf } = deps;
  const paceNow = (memory: GroupMemory) => ({ memory, factor: slowDownOf(group.priority), nowMs: clock.now() });
  return {
    takesSpareSlots: true,
    maxWaitMs: group.intervalMs,
    begin: () => onTime.begin(group.key, group.intervalMs),
    turn({ members, startedAtMs: nowMs, onTimeSinceMs }, memory, isExtra) {
      const isHelped = members.filter(probes.isSeenByOthers).length > 0 || isExtra;
      const turn = { ...paceNow(memory), waiting: turns.of(members, memory.profile, nowMs), nowMs };
      return isHelped && isTooSoon(algorithm, turn) ? NOBODYS_TURN : algorithm.choose(turn, nowMs - onTimeSinceMs);
    },
    fill({ members, memory, asked, onTimeSinceMs }, query) {
      const waiting = () => turns.later(members, memory.profile, query.nowMs, asked);
      return spareSlotTasks({ ...query, waiting, limits: memory.limits, onTimeMs: query.nowMs - onTimeSinceMs });
    },
    after({ members, memory, asked, seen, answer, awaited, startedAtMs }, plan, news) {
      const changed = [...asked, ...seen, ...plan.tasks.map(({ member }) => member)];
      const turn = { ...paceNow(memory), waiting: turns.later(members, memory.profile, clock.now(), changed) };
      const hasProbed = asked.length > 0;
      // Delays of posts that other groups showed say nothing about this group's own pace.
      const delaysMs = hasProbed ? news.delaysMs : [];
      const paced = { ...memory, ...algorithm.after({ ...turn, awaited: [awaited, plan.awaited], hasProbed, delaysMs, startedAtMs }) };
      const nextDueMs = turn.nowMs + waitAfter(algorithm, { ...turn, memory: paced });
      // Posts found after suspicious empty responses are late because of those.
      if (answer !== "suspicious") onTime.end(group.key, nextDueMs);
      return { memory: paced, nextDueMs };
    },
    nextDueMs() {
      const memory = memoryOf(group);
      if (memory === undefined) return undefined;
      const turn = { ...paceNow(memory), waiting: turns.of(membersOf(group), memory.profile, clock.now()) };
      return turn.nowMs + waitAfter(algorithm, turn);
    },
  };
}
