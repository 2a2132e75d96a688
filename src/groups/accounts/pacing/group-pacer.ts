/**
 * The pacer of a group of accounts, and the results of a run that are passed to it. Each timing has
 * a pacer of its own.
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

/** The facts about a run when it starts. */
export interface Run {
  readonly group: Poll;
  readonly pacer: GroupPacer;
  readonly members: readonly GroupMember[];
  /**
   * Poll keys of members that must be read on their own, because their first read is not done or
   * their history has a gap.
   */
  readonly unready: ReadonlySet<string>;
  readonly startedAtMs: number;
  /** Whether requests of other callers have shown members of the group since its last run. */
  readonly wasHelped: boolean;
}

/** The facts about a run after its probe. */
export interface ProbedRun extends Run {
  readonly memory: GroupMemory;
  readonly asked: readonly GroupMember[];
  /** Members that need no probe, because another request just showed them. */
  readonly seen: ReadonlySet<GroupMember>;
  readonly answer: "seen" | "suspicious" | "refused";
  /** The posts that the rates predict for the probed members. */
  readonly awaited: Awaited;
}

export interface ReadPlan {
  readonly tasks: readonly ReadTask[];
  /** The posts that the rates predict for the members that fill searches which are sent anyway. */
  readonly awaited: Awaited;
}

export interface GroupPacer extends Pacer {
  /** Whether the group's members may fill spare slots in the requests of other callers. */
  readonly fillsSpareSlots: boolean;
  /**
   * Returns which members to probe, of those that were probed before. `isExtra`: other requests
   * showed members, or there are new ones, so the run may have come early.
   */
  turn(run: Run, memory: GroupMemory, isExtra: boolean): Turn<GroupMember>;
  /** Returns the members that fill the searches of a run. */
  fill(run: ProbedRun, query: Omit<SpareSlotQuery, "waiting" | "limits">): Turn<ReadTask>;
  /**
   * Returns what a run taught about the pace, and when the next one is worth its request. The
   * `memory` of the run already has everything else that it taught.
   */
  after(
    run: ProbedRun,
    plan: ReadPlan,
    news: GroupNews,
  ): { readonly memory: GroupMemory; readonly nextDueMs?: number };
}

/**
 * Creates the pacer of a group that runs at the ticks of its schedules: each run requests all
 * members.
 */
export const createSchedulePacer = (
  group: Poll,
  probes: Pick<GroupProbes, "applyRecent">,
): GroupPacer => ({
  fillsSpareSlots: false,
  turn({ members, startedAtMs: nowMs }, memory) {
    // A run between two ticks is for new members or repeats a failed one, so it requests no others.
    if (!isSameTick(group, memory.probedAtMs, nowMs)) return { ...NOBODYS_TURN, all: members };
    for (const member of members) probes.applyRecent(member);
    return NOBODYS_TURN;
  },
  fill: () => NOBODYS_TURN,
  after: ({ memory }) => ({ memory }),
  nextDueMs: () => undefined,
});
