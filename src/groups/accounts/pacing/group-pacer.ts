/**
 * The interface of the pacer of a group of accounts, and the facts about a run that it receives.
 * Groups that follow a schedule and groups with a `freshness` setting have different pacers.
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
   * Poll keys of members that must be read on their own, because their first read is not complete
   * or their history has a gap.
   */
  readonly unready: ReadonlySet<string>;
  readonly startedAtMs: number;
  /** Whether requests of other callers have shown members of the group since its last run. */
  readonly wasHelped: boolean;
}

/** The facts about a run after its probe. */
export interface ProbedRun extends Run {
  readonly memory: GroupMemory;
  /** The members that the run probed. */
  readonly asked: readonly GroupMember[];
  /** Members that needed no probe in this run, because another request had just shown them. */
  readonly seen: ReadonlySet<GroupMember>;
  readonly answer: "seen" | "suspicious" | "refused";
  /** The posts that the rates predict for the probed members. */
  readonly awaited: Awaited;
}

export interface ReadPlan {
  readonly tasks: readonly ReadTask[];
  /** The posts that the rates predict for the members that were added to searches at no cost. */
  readonly awaited: Awaited;
}

export interface GroupPacer extends Pacer {
  /** Whether the group's members may fill spare slots in the requests of other callers. */
  readonly fillsSpareSlots: boolean;
  /**
   * Returns which of the members that were probed before are probed in this run. `isExtra` means
   * that the run may be earlier than the pace wants, because other requests have shown members or
   * because there are new members.
   */
  turn(run: Run, memory: GroupMemory, isExtra: boolean): Turn<GroupMember>;
  /** Returns the members that are added to the searches of a run at no cost. */
  fill(run: ProbedRun, query: Omit<SpareSlotQuery, "waiting" | "limits">): Turn<ReadTask>;
  /**
   * Returns what a run taught about the pace, and when the next run is worth its request.
   * `run.memory` already contains everything else that the run taught.
   */
  after(
    run: ProbedRun,
    plan: ReadPlan,
    news: GroupNews,
  ): { readonly memory: GroupMemory; readonly nextDueMs?: number };
}

/**
 * Creates the pacer of a group that follows its schedules. Each run at a tick probes all members.
 */
export const createSchedulePacer = (
  group: Poll,
  probes: Pick<GroupProbes, "applyRecent">,
): GroupPacer => ({
  fillsSpareSlots: false,
  turn({ members, startedAtMs: nowMs }, memory) {
    // A run between two ticks is made for new members or repeats a failed one, so it probes no
    // other members.
    if (!isSameTick(group, memory.probedAtMs, nowMs)) return { ...NOBODYS_TURN, all: members };
    for (const member of members) probes.applyRecent(member);
    return NOBODYS_TURN;
  },
  fill: () => NOBODYS_TURN,
  after: ({ memory }) => ({ memory }),
  nextDueMs: () => undefined,
});
