/**
 * How a group of accounts is paced, and what a run of it has come to when its pacer is asked. Each
 * timing has a pacer of its own.
 */
import { isSameTick } from "../../../plan/polls/tick-grid.ts";
import type { GroupProbes } from "../../probing/group-probes.ts";
import type { Poll } from "../../../polling/watch-poll.ts";
import type { Pacer } from "../../kind/pacer.ts";
import type { GroupMember } from "../../memory/group-members.ts";
import type { Awaited } from "../../probing/probe-choice.ts";
import type { GroupMemory } from "../group-memory.ts";
import type { GroupNews } from "../group-reads.ts";
import type { ReadTask } from "../group-tasks.ts";
import type { SpareSlotQuery } from "../spare-slot-tasks.ts";
import { NOBODYS_TURN, type Turn } from "./turns.ts";

/** One run, as it begins. */
export interface Run {
  readonly group: Poll;
  readonly pacer: GroupPacer;
  readonly members: readonly GroupMember[];
  /** Poll keys of members that must be read by themselves. */
  readonly unready: ReadonlySet<string>;
  readonly startedAtMs: number;
  /** Members were seen by others since its last run. */
  readonly wasHelped: boolean;
}

/** After its probe. */
export interface ProbedRun extends Run {
  readonly memory: GroupMemory;
  readonly asked: readonly GroupMember[];
  /** Members that need no probe: somebody else asked for them just now. */
  readonly seen: ReadonlySet<GroupMember>;
  readonly answer: "seen" | "suspicious" | "refused";
  /** What the rates predict of those who were probed. */
  readonly awaited: Awaited;
}

export interface ReadPlan {
  readonly tasks: readonly ReadTask[];
  /** What the rates predict of those who fill searches that are sent anyway. */
  readonly awaited: Awaited;
}

export interface GroupPacer extends Pacer {
  /** Whether its members are asked for in free places of the requests of others. */
  readonly takesSpareSlots: boolean;
  /** Whom to probe of those who were probed before; `isExtra`: the run comes before its time. */
  turn(run: Run, memory: GroupMemory, isExtra: boolean): Turn<GroupMember>;
  /** Who fills the searches of a run. */
  fill(run: ProbedRun, query: Omit<SpareSlotQuery, "waiting" | "limits">): Turn<ReadTask>;
  /**
   * What a run taught of the pace, and when the next one is worth its request. `memory` of the run:
   * with all else that it taught.
   */
  after(
    run: ProbedRun,
    plan: ReadPlan,
    news: GroupNews,
  ): { readonly memory: GroupMemory; readonly nextDueMs?: number };
}

/** A group that runs at the ticks of its schedules: each run asks for all of them. */
export const createSchedulePacer = (
  group: Poll,
  probes: Pick<GroupProbes, "takeRecent">,
): GroupPacer => ({
  takesSpareSlots: false,
  turn({ members, startedAtMs: nowMs }, memory) {
    // A run for newcomers, or one that is repeated, comes between two ticks.
    if (!isSameTick(group, memory.probedAtMs, nowMs)) return { ...NOBODYS_TURN, all: members };
    for (const member of members) probes.takeRecent(member);
    return NOBODYS_TURN;
  },
  fill: () => NOBODYS_TURN,
  after: ({ memory }) => ({ memory }),
  nextDueMs: () => undefined,
});
