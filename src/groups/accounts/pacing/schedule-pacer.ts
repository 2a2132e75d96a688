/** A group of accounts that runs at the ticks of its schedules: each run asks for all of them. */
import { isSameTick } from "../../../plan/polls/tick-grid.ts";
import type { Poll } from "../../../polling/watch-poll.ts";
import type { GroupProbes } from "../../probing/group-probes.ts";
import { NOBODYS_TURN } from "./turns.ts";
import type { GroupPacer } from "./group-pacer.ts";

export const createSchedulePacer = (group: Poll, probes: Pick<GroupProbes, "takeRecent">): GroupPacer => ({
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
