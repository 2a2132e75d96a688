/**
 * One run of a group of accounts: probe those whose turn it is, read those that moved or are due for a full poll, remember what was
 * learned. Owns the order of these steps; what a change means is probing's, what a post means the poll runner's.
 */
import { batchesOf } from "../../model/batch.ts";
import { type Clock, passedMs } from "../../model/clock.ts";
import type { Log } from "../../model/log.ts";
import type { PollStore } from "../../model/poll-store.ts";
import type { Freshness, Priority } from "../../model/schedule.ts";
import type { WatchStore } from "../../model/watch-store.ts";
import { isSameTick } from "../../plan/polls/tick-grid.ts";
import { learnHours, ratesOf } from "../../plan/rates/rates.ts";
import type { GroupRun } from "../../polling/run/poll-run.ts";
import type { RunMember } from "../../polling/run/run-member.ts";
import type { Poll } from "../../polling/watch-poll.ts";
import type { Profiles } from "../../requests/profiles.ts";
import type { RequestGate } from "../../requests/request-gate.ts";
import type { ServiceClock } from "../../requests/service-clock.ts";
import type { GroupRunner } from "../kind/group-runner.ts";
import type { Pacer } from "../kind/pacer.ts";
import { createGroupMembers, type GroupMember, type GroupMembers, membersOf } from "../memory/group-members.ts";
import { createCooldowns, type Cooldowns } from "../memory/cooldowns.ts";
import { createLearned, type Learned } from "../memory/learned.ts";
import { allowanceOf, type LagAllowance, endpointToRead } from "../probing/pending-changes.ts";
import type { Awaited } from "../probing/probe-choice.ts";
import { learnedRate, type ProbeStates } from "../probing/probe-states.ts";
import { checkEveryMs } from "./account-cost.ts";
import type { ChangeCounts } from "./change-counts.ts";
import { createSpareSlots, type FreePlaces } from "./spare-slots.ts";
import type { AccountFacts } from "./group-accounts.ts";
import { chooseAgain, type GroupMemory, restoreGroup } from "./group-memory.ts";
import { chooseMembers, createTurns, isTooSoon, NOBODYS_TURN, paceAfter, type Turn, type Turns, waitAfter } from "./group-pace.ts";
import { createGroupProbes, type GroupProbes } from "./group-probes.ts";
import { createGroupReads, type GroupNews, type GroupReads } from "./group-reads.ts";
import { type ReadTask, tasksOf } from "./group-tasks.ts";
import { createOnTime } from "./on-time.ts";
import { spareSlotTasks } from "./spare-slot-tasks.ts";

export interface GroupDeps extends RunMember {
  readonly store: Pick<PollStore, "loadSources" | "commitPoll"> & Pick<WatchStore, "loadTargets">;
  readonly book: ProbeStates;
  readonly changes: ChangeCounts;
  readonly gate: RequestGate;
  readonly profiles: Pick<Profiles, "ask" | "recent" | "fillSpareSlots">;
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
  readonly log: Log;
  /** How much slower polls of a priority go while the quota is short. */
  readonly stretch: (priority: Priority) => number;
  /** Has a group run at once. */
  readonly wake: (groupKey: string) => void;
}

export const createGroupRunner = (deps: GroupDeps): GroupRunner => new AccountsRunner(deps);

/** One run, as it begins. */
interface Run {
  readonly group: Poll;
  readonly members: readonly GroupMember[];
  /** Poll keys of members that must be read by themselves. */
  readonly unready: ReadonlySet<string>;
  readonly startedAtMs: number;
  /** Since then the group was asked for in time; 0 where a schedule says when. */
  readonly onTimeSinceMs: number;
  /** Members were seen by others since its last run. */
  readonly wasHelped: boolean;
}

/** After its probe. */
interface ProbedRun extends Run {
  readonly memory: GroupMemory;
  readonly asked: readonly GroupMember[];
  /** Members that need no probe: somebody else asked for them just now. */
  readonly seen: ReadonlySet<GroupMember>;
  readonly answer: "seen" | "blind" | "refused";
  /** What the rates predict of those who were probed. */
  readonly awaited: Awaited;
}

interface ReadPlan {
  readonly tasks: readonly ReadTask[];
  /** What the rates predict of those who fill searches that are sent anyway. */
  readonly awaited: Awaited;
  readonly allowance: LagAllowance;
}

class AccountsRunner implements GroupRunner {
  readonly #deps: GroupDeps;
  readonly #memories: Learned<GroupMemory>;
  readonly #readiness: GroupMembers;
  readonly #holds: Cooldowns;
  readonly #reads: GroupReads;
  readonly #probes: GroupProbes;
  readonly #turns: Turns;
  readonly #onTime: ReturnType<typeof createOnTime>;
  readonly #places: FreePlaces;

  constructor(deps: GroupDeps) {
    const { store, gate, profiles, clock, serviceClock, log, book, runOne, take } = deps;
    const readiness = createGroupMembers(store);
    const holds = createCooldowns(clock);
    this.#deps = deps;
    this.#memories = createLearned<GroupMemory>(store, restoreGroup);
    this.#readiness = readiness;
    this.#holds = holds;
    this.#reads = createGroupReads({ store, gate, clock, serviceClock, log, book, readiness, holds, runOne, take });
    this.#probes = createGroupProbes({ profiles, clock, log, book, release: holds.release });
    this.#turns = createTurns((userId) => book.get(userId));
    this.#onTime = createOnTime(clock);
    this.#places = createSpareSlots({
      waitingOf: (group) => {
        const memory = this.#memories.peek(group);
        return memory === undefined || deps.stretch(group.priority) > 1 ? [] : this.#turns.of(membersOf(group), memory, clock.now());
      },
      applyProbe: (member, seen) => {
        const account = book.get(member.userId);
        return account !== undefined && this.#probes.isNewer(account, seen) && this.#probes.applyProbe(member, seen);
      },
      wake: deps.wake,
    });
    profiles.fillSpareSlots(this.#places);
  }

  async run(group: Poll): Promise<GroupRun> {
    try {
      return await this.#run(await this.#probe(await this.#begin(group, this.#places.begin(group.key))));
    } finally {
      this.#places.end(group.key);
    }
  }

  keepOnly(polls: readonly Poll[]): void {
    this.#places.keepOnly(polls);
  }

  pacerOf(group: Poll): Pacer {
    return { nextDueMs: () => this.#nextDueMs(group) };
  }

  #nextDueMs(group: Poll): number | undefined {
    const [memory, nowMs] = [this.#memories.peek(group), this.#deps.clock.now()];
    const freshness = freshnessOf(group);
    if (freshness === undefined || memory === undefined) return undefined;
    const turn = { freshness, memory, factor: this.#deps.stretch(group.priority), nowMs };
    return nowMs + waitAfter({ ...turn, waiting: this.#turns.of(membersOf(group), memory, nowMs) });
  }

  close(): Promise<void> {
    return this.#memories.close(this.#deps.clock.now());
  }

  async #begin(group: Poll, wasHelped: boolean): Promise<Run> {
    const { book, changes, clock } = this.#deps;
    const startedAtMs = clock.now();
    await Promise.all([book.load(), changes.load()]);
    const onTimeSinceMs = freshnessOf(group) === undefined ? 0 : this.#onTime.begin(group.key, group.intervalMs);
    const members = membersOf(group);
    const unready = await this.#readiness.unready(group.group?.members ?? []);
    return { group, members, unready, startedAtMs, onTimeSinceMs, wasHelped };
  }

  async #probe(run: Run): Promise<ProbedRun> {
    const { book } = this.#deps;
    const { group, members, startedAtMs } = run;
    const memory = chooseAgain(group, await this.#memories.get(group), () => habitsOf(group, this.#deps), startedAtMs);
    const unknown = members.filter(({ userId }) => book.get(userId) === undefined);
    const { all: due, awaited } = this.#turn(run, memory, run.wasHelped || unknown.length > 0);
    const seen = new Set(unknown.filter((member) => this.#probes.isSeenJustNow(member)));
    const asked = [...new Set([...unknown, ...due])].filter((member) => !seen.has(member));
    const answer = await this.#probes.probe(group, asked);
    await book.flush();
    const isOfAll = asked.length + seen.size === members.length;
    return { ...run, memory: isOfAll ? { ...memory, probedAtMs: startedAtMs } : memory, asked, seen, answer, awaited };
  }

  /** Of those probed before: by freshness those in turn, by a schedule all. `isExtra`: the run comes before its time. */
  #turn({ group, members, startedAtMs: nowMs, onTimeSinceMs }: Run, memory: GroupMemory, isExtra: boolean): Turn<GroupMember> {
    const freshness = freshnessOf(group);
    if (freshness !== undefined) {
      const isHelped = members.filter((member) => this.#probes.isSeenByOthers(member)).length > 0 || isExtra;
      const waiting = this.#turns.of(members, memory, nowMs);
      const turn = { waiting, freshness, memory, factor: this.#deps.stretch(group.priority), nowMs };
      return isHelped && isTooSoon(turn) ? NOBODYS_TURN : chooseMembers(turn, nowMs - onTimeSinceMs);
    }
    const isCheckDue = memory.strategy === "probe" || passedMs(memory.probedAtMs, nowMs) >= checkEveryMs(group.intervalMs);
    // A run for newcomers, or one that is repeated, comes between two ticks.
    const isDue = isCheckDue && !isSameTick(group, memory.probedAtMs, nowMs);
    if (!isDue) for (const member of members) this.#probes.takeNewHandle(member);
    return isDue ? { ...NOBODYS_TURN, all: members } : NOBODYS_TURN;
  }

  async #run(run: ProbedRun): Promise<GroupRun> {
    const { book, changes, clock } = this.#deps;
    const { group, startedAtMs, onTimeSinceMs, answer } = run;
    const plan = this.#planReads(run);
    const { tasks, allowance } = plan;
    const news = await this.#reads.read({ group, tasks, limits: run.memory.limits, startedAtMs, allowance, onTimeSinceMs });
    const learned = { ...run.memory, limits: news.limits, profile: learnHours(run.memory.profile, news.postedMs) };
    const factor = this.#deps.stretch(group.priority);
    const freshness = freshnessOf(group);
    const { memory, nextDueMs } =
      freshness === undefined
        ? { memory: learned, nextDueMs: undefined }
        : this.#learnPace({ ...run, memory: learned }, plan, news, { freshness, factor });
    this.#count({ ...run, memory }, news, factor);
    this.#memories.put(group, memory);
    await this.#memories.save(group, startedAtMs, clock.now());
    await book.flush();
    await changes.flush();
    const outcome = answer === "blind" ? { ...news.outcome, isBlind: true } : news.outcome;
    return { outcome, nextDueMs };
  }

  #planReads({ group, members, unready, memory, asked, answer, startedAtMs, onTimeSinceMs }: ProbedRun): ReadPlan {
    const { book, clock, serviceClock } = this.#deps;
    const { intervalMs } = group;
    const freshness = freshnessOf(group);
    const nowMs = clock.now();
    const toService = (localMs: number) => serviceClock.fromLocal(localMs);
    const base = { unready, accountOf: (userId: string) => book.get(userId), intervalMs, nowMs, toService };
    const unprobed = new Set(answer === "refused" ? asked : []);
    const patienceMs = freshness === undefined ? 0 : intervalMs;
    const pace = freshness?.kind === "mean" ? memory.pace : undefined;
    const allowance = allowanceOf(pace?.worth ?? 0, startedAtMs - (pace?.atMs ?? startedAtMs));
    const tasks = tasksOf({ ...base, members, isHeld: this.#holds.isHeld, memory, unprobed, patienceMs, allowance });
    if (freshness === undefined) return { tasks, awaited: NOBODYS_TURN.awaited, allowance };
    const waiting = () => this.#turns.later(members, memory, nowMs, asked);
    const fillers = spareSlotTasks({ ...base, tasks, waiting, limits: memory.limits, onTimeMs: nowMs - onTimeSinceMs });
    return { tasks: [...tasks, ...fillers.all], awaited: fillers.awaited, allowance };
  }

  /** What the run says of the pace under freshness, and when the next one is worth its request. */
  #learnPace(
    { group, members, memory, asked, seen, answer, awaited, startedAtMs }: ProbedRun,
    plan: ReadPlan,
    news: GroupNews,
    { freshness, factor }: { readonly freshness: Freshness; readonly factor: number },
  ): { readonly memory: GroupMemory; readonly nextDueMs: number } {
    const { clock } = this.#deps;
    const changed = [...asked, ...seen, ...plan.tasks.map(({ member }) => member)];
    const after = { freshness, memory, factor, waiting: this.#turns.later(members, memory, clock.now(), changed) };
    const hasProbed = asked.length > 0;
    // What others showed says nothing of its own pace, which has to do when they are gone.
    const delaysMs = hasProbed ? news.delaysMs : [];
    const parts = [awaited, plan.awaited];
    const paced = { ...memory, ...paceAfter({ ...after, awaited: parts, hasProbed, delaysMs, startedAtMs, nowMs: clock.now() }) };
    const nextDueMs = clock.now() + waitAfter({ ...after, memory: paced, nowMs: clock.now() });
    // What comes to light after blind probes is late because of them.
    if (answer !== "blind") this.#onTime.end(group.key, nextDueMs);
    return { memory: paced, nextDueMs };
  }

  /** For the forecast: what the run took, and what changed without a post. */
  #count({ group, members, memory, asked, answer, startedAtMs }: ProbedRun, news: GroupNews, factor: number): void {
    const { book, changes } = this.#deps;
    const { key, intervalMs } = group;
    const requests = { probes: batchesOf(asked).length, reads: news.requests };
    const taken = { strategy: memory.strategy, members: members.length, requests, intervalMs };
    book.count(key, factor <= 1 ? taken : undefined);
    if (answer === "seen") changes.take(key, { accounts: members.length, changedMs: news.changedMs, startedAtMs, intervalMs });
  }
}

const freshnessOf = ({ timing }: Poll): Freshness | undefined => (timing.kind === "freshness" ? timing.freshness : undefined);

function habitsOf(group: Poll, { book, changes, clock }: Pick<GroupDeps, "book" | "changes" | "clock">): AccountFacts {
  const members = membersOf(group);
  const userIds = members.map(({ userId }) => userId);
  const rates = ratesOf(userIds, (userId) => learnedRate(book.get(userId), clock.now()));
  return { rates, hiddenShare: hiddenShare(members, book), otherChangesPerDay: changes.changesOf(group.key) };
}

/** Of these, how many are read from their timelines because no search shows them. */
function hiddenShare(members: readonly GroupMember[], book: ProbeStates): number {
  const hidden = members.filter(({ userId }) => {
    const account = book.get(userId);
    return account !== undefined && account.probe.open === undefined && endpointToRead(account.probe) === "timeline";
  });
  return hidden.length / Math.max(members.length, 1);
}
