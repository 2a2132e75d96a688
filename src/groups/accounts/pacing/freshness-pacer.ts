/** A group of accounts under freshness: each run asks for those whose turn it is, and what it finds says when the next one comes. */
import type { Clock } from "../../../model/clock.ts";
import type { Freshness, Priority } from "../../../model/schedule.ts";
import type { Poll } from "../../../polling/watch-poll.ts";
import { type GroupMember, membersOf } from "../../memory/group-members.ts";
import type { GroupMemory } from "../group-memory.ts";
import type { GroupProbes } from "../group-probes.ts";
import type { GroupNews } from "../group-reads.ts";
import type { ReadTask } from "../group-tasks.ts";
import { type SpareSlotQuery, spareSlotTasks } from "../spare-slot-tasks.ts";
import { chooseMembers, isTooSoon, NOBODYS_TURN, paceAfter, type Turn, type Turns, waitAfter } from "./group-pace.ts";
import type { GroupPacer, ProbedRun, ReadPlan, Run } from "./group-pacer.ts";
import type { OnTime } from "./on-time.ts";

export interface FreshnessPacerDeps {
  readonly turns: Turns;
  readonly onTime: OnTime;
  readonly probes: Pick<GroupProbes, "isSeenByOthers">;
  readonly clock: Clock;
  /** How much slower polls of a priority go while the quota is short. */
  readonly stretch: (priority: Priority) => number;
  /** What a group has learned; undefined before its first run. */
  readonly memoryOf: (group: Poll) => GroupMemory | undefined;
}

export class FreshnessPacer implements GroupPacer {
  readonly patienceMs: number;
  readonly #group: Poll;
  readonly #freshness: Freshness;
  readonly #deps: FreshnessPacerDeps;

  constructor(group: Poll, freshness: Freshness, deps: FreshnessPacerDeps) {
    this.patienceMs = group.intervalMs;
    this.#group = group;
    this.#freshness = freshness;
    this.#deps = deps;
  }

  begin(): number {
    return this.#deps.onTime.begin(this.#group.key, this.#group.intervalMs);
  }

  turn({ members, startedAtMs: nowMs, onTimeSinceMs }: Run, memory: GroupMemory, isExtra: boolean): Turn<GroupMember> {
    const isHelped = members.filter((member) => this.#deps.probes.isSeenByOthers(member)).length > 0 || isExtra;
    const turn = { ...this.#pace(memory), waiting: this.#deps.turns.of(members, memory, nowMs), nowMs };
    return isHelped && isTooSoon(turn) ? NOBODYS_TURN : chooseMembers(turn, nowMs - onTimeSinceMs);
  }

  fill(run: ProbedRun, query: Omit<SpareSlotQuery, "waiting" | "limits" | "onTimeMs">): Turn<ReadTask> {
    const { members, memory, asked, onTimeSinceMs } = run;
    const waiting = () => this.#deps.turns.later(members, memory, query.nowMs, asked);
    return spareSlotTasks({ ...query, waiting, limits: memory.limits, onTimeMs: query.nowMs - onTimeSinceMs });
  }

  after(run: ProbedRun, plan: ReadPlan, news: GroupNews): { readonly memory: GroupMemory; readonly nextDueMs: number } {
    const { members, memory, asked, seen, answer, startedAtMs } = run;
    const nowMs = this.#deps.clock.now();
    const changed = [...asked, ...seen, ...plan.tasks.map(({ member }) => member)];
    const turn = { ...this.#pace(memory), waiting: this.#deps.turns.later(members, memory, nowMs, changed), nowMs };
    const hasProbed = asked.length > 0;
    // What others showed says nothing of its own pace, which has to do when they are gone.
    const delaysMs = hasProbed ? news.delaysMs : [];
    const paced = { ...memory, ...paceAfter({ ...turn, awaited: [run.awaited, plan.awaited], hasProbed, delaysMs, startedAtMs }) };
    const nextDueMs = nowMs + waitAfter({ ...turn, memory: paced });
    // What comes to light after blind probes is late because of them.
    if (answer !== "blind") this.#deps.onTime.end(this.#group.key, nextDueMs);
    return { memory: paced, nextDueMs };
  }

  nextDueMs(): number | undefined {
    const [memory, nowMs] = [this.#deps.memoryOf(this.#group), this.#deps.clock.now()];
    if (memory === undefined) return undefined;
    return nowMs + waitAfter({ ...this.#pace(memory), waiting: this.#deps.turns.of(membersOf(this.#group), memory, nowMs), nowMs });
  }

  #pace(memory: GroupMemory): { readonly freshness: Freshness; readonly memory: GroupMemory; readonly factor: number } {
    return { freshness: this.#freshness, memory, factor: this.#deps.stretch(this.#group.priority) };
  }
}
