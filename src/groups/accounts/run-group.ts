/**
 * One run of a group of accounts: probe those whose turn it is, read those that moved or are due for a full poll, remember what was
 * learned. Owns the order of these steps; what a change means is plan/'s, what a post means the poll runner's.
 */
import type { GroupRunner } from "../kind/group-runner.ts";
import type { GroupRun } from "../../polling/run/poll-run.ts";
import { batchesOf } from "../../model/batch.ts";
import { type Clock, passedMs } from "../../model/clock.ts";
import type { Log } from "../../model/log.ts";
import type { Priority } from "../../model/schedule.ts";
import type { PollStore } from "../../model/poll-store.ts";
import type { WatchStore } from "../../model/watch-store.ts";
import { allowanceOf, wayToRead } from "../probing/discharge.ts";
import type { Habits } from "./group-accounts.ts";
import { learnHours, ratesOf } from "../../plan/rates/rates.ts";
import { checkEveryMs } from "./account-cost.ts";
import { isSameTick } from "../../plan/polls/tick-grid.ts";
import type { ChangeBook } from "./change-book.ts";
import { chooseMembers, createTurns, isTooSoon, NOBODYS_TURN, paceAfter, type Turn, waitAfter } from "./group-pace.ts";
import { chooseAgain, type GroupMemory, restoreGroup } from "./group-memory.ts";
import { createFreePlaces } from "./free-places.ts";
import { createGroupMembers, type GroupMember, membersOf } from "../memory/group-members.ts";
import { createGroupProbes } from "./group-probes.ts";
import { createGroupReads } from "./group-reads.ts";
import { tasksOf } from "./group-tasks.ts";
import { createLearned } from "../memory/learned.ts";
import { learnedRate, type ProbeBook } from "../probing/probe-book.ts";
import { createOnTime } from "./on-time.ts";
import type { Profiles } from "../../requests/profiles.ts";
import type { RequestGate } from "../../requests/request-gate.ts";
import { ridersOf } from "./riders.ts";
import type { RunMember } from "../../polling/run/run-member.ts";
import type { ServiceClock } from "../../requests/service-clock.ts";
import type { Poll } from "../../polling/watch-poll.ts";

export interface GroupDeps extends RunMember {
  readonly store: Pick<PollStore, "loadSources" | "commitPoll"> & Pick<WatchStore, "loadTargets">;
  readonly book: ProbeBook;
  readonly changes: ChangeBook;
  readonly gate: RequestGate;
  readonly profiles: Pick<Profiles, "ask" | "recent" | "carry">;
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
  readonly log: Log;
  /** How much slower polls of a priority go while the quota is short. */
  readonly stretch: (priority: Priority) => number;
  /** Has a group run at once. */
  readonly wake: (groupKey: string) => void;
}

export function createGroupRunner(deps: GroupDeps): GroupRunner {
  const { clock, serviceClock, book, changes } = deps;
  const memories = createLearned<GroupMemory>(deps.store, restoreGroup);
  const readiness = createGroupMembers(deps.store);
  const reads = createGroupReads({ ...deps, readiness });
  const accountOf = (userId: string) => book.get(userId);
  const turns = createTurns(accountOf);
  const onTime = createOnTime(clock);

  const { probe, notice, isNewer, isSeenJustNow, isSeenByOthers, takeNewHandle } = createGroupProbes({ ...deps, release: reads.release });

  const places = createFreePlaces({
    waitingOf(group) {
      const memory = memories.peek(group);
      return memory === undefined || deps.stretch(group.priority) > 1 ? [] : turns.of(membersOf(group), memory, clock.now());
    },
    notice(member, seen) {
      const account = book.get(member.userId);
      return account !== undefined && isNewer(account, seen) && notice(member, seen);
    },
    wake: deps.wake,
  });
  deps.profiles.carry(places);

  /** Of those probed before: by freshness those in turn, by a schedule all. */
  const inTurn = (
    group: Poll,
    members: readonly GroupMember[],
    memory: GroupMemory,
    { nowMs, onTimeMs, isExtra }: { readonly nowMs: number; readonly onTimeMs: number; readonly isExtra: boolean },
  ): Turn<GroupMember> => {
    const { freshness } = group;
    if (freshness !== undefined) {
      const isHelped = members.filter(isSeenByOthers).length > 0 || isExtra;
      const turn = { waiting: turns.of(members, memory, nowMs), freshness, memory, factor: deps.stretch(group.priority), nowMs };
      return isHelped && isTooSoon(turn) ? NOBODYS_TURN : chooseMembers(turn, onTimeMs);
    }
    const isCheckDue = memory.strategy === "probe" || passedMs(memory.probedAtMs, nowMs) >= checkEveryMs(group.intervalMs);
    // A run for newcomers, or one that is repeated, comes between two ticks.
    const isDue = isCheckDue && !isSameTick(group, memory.probedAtMs, nowMs);
    if (!isDue) members.forEach(takeNewHandle);
    return isDue ? { ...NOBODYS_TURN, all: members } : NOBODYS_TURN;
  };

  const runOnce = async (group: Poll, wasHelped: boolean): Promise<GroupRun> => {
    const startedAtMs = clock.now();
    await Promise.all([book.load(), changes.load()]);
    const onTimeSinceMs = group.freshness === undefined ? 0 : onTime.begin(group.key, group.intervalMs);
    const members = membersOf(group);
    const unready = await readiness.unready(group.group?.members ?? []);
    let memory = chooseAgain(group, await memories.get(group), () => habitsOf(group, deps), startedAtMs);
    const unknown = members.filter(({ userId }) => book.get(userId) === undefined);
    const isExtra = wasHelped || unknown.length > 0;
    const others = inTurn(group, members, memory, { nowMs: startedAtMs, onTimeMs: startedAtMs - onTimeSinceMs, isExtra });
    const seen = new Set(unknown.filter(isSeenJustNow));
    const asked = [...new Set([...unknown, ...others.all])].filter((member) => !seen.has(member));
    const answer = await probe(group, asked);
    await book.flush();
    if (asked.length + seen.size === members.length) memory = { ...memory, probedAtMs: startedAtMs };

    const freshness = group.freshness;
    const nowMs = clock.now();
    const toService = (localMs: number) => serviceClock.fromLocal(localMs);
    const unprobed = new Set(answer === "refused" ? asked : []);
    const base = { unready, accountOf, intervalMs: group.intervalMs, nowMs, toService };
    const patienceMs = freshness === undefined ? 0 : group.intervalMs;
    const pace = freshness?.kind === "mean" ? memory.pace : undefined;
    const allowance = allowanceOf(pace?.worth ?? 0, startedAtMs - (pace?.atMs ?? startedAtMs));
    const tasks = tasksOf({ ...base, members, isHeld: reads.isHeld, memory, unprobed, patienceMs, allowance });
    const riders =
      freshness === undefined
        ? NOBODYS_TURN
        : ridersOf({
            ...base,
            tasks,
            waiting: () => turns.later(members, memory, nowMs, asked),
            limits: memory.limits,
            onTimeMs: nowMs - onTimeSinceMs,
          });
    const news = await reads.read({
      group,
      tasks: [...tasks, ...riders.all],
      limits: memory.limits,
      startedAtMs,
      allowance,
      onTimeSinceMs,
    });

    memory = { ...memory, limits: news.limits, profile: learnHours(memory.profile, news.postedMs) };
    const factor = deps.stretch(group.priority);
    let againAtMs: number | undefined;
    if (freshness !== undefined) {
      const read = [...tasks, ...riders.all].map(({ member }) => member);
      const after = { freshness, memory, factor, waiting: turns.later(members, memory, clock.now(), [...asked, ...seen, ...read]) };
      const awaited = [others.awaited, riders.awaited];
      const hasProbed = asked.length > 0;
      // What others showed says nothing of its own pace, which has to do when they are gone.
      const delaysMs = hasProbed ? news.delaysMs : [];
      memory = { ...memory, ...paceAfter({ ...after, awaited, hasProbed, delaysMs, startedAtMs, nowMs: clock.now() }) };
      againAtMs = clock.now() + waitAfter({ ...after, memory, nowMs: clock.now() });
      // What comes to light after blind probes is late because of them.
      if (answer !== "blind") onTime.end(group.key, againAtMs);
    }
    const requests = { probes: batchesOf(asked).length, reads: news.requests };
    const taken = { strategy: memory.strategy, members: members.length, requests, intervalMs: group.intervalMs };
    book.count(group.key, factor <= 1 ? taken : undefined);
    if (answer === "seen")
      changes.take(group.key, { accounts: members.length, changedMs: news.changedMs, startedAtMs, intervalMs: group.intervalMs });
    memories.put(group, memory);
    await memories.save(group, startedAtMs, clock.now());
    await book.flush();
    await changes.flush();
    const outcome = answer === "blind" ? { ...news.outcome, isBlind: true } : news.outcome;
    return { outcome, ...(againAtMs === undefined ? {} : { againAtMs }) };
  };

  return {
    async run(group) {
      try {
        return await runOnce(group, places.begin(group.key));
      } finally {
        places.end(group.key);
      }
    },
    keepOnly: places.keepOnly,
    againAt(group) {
      const [memory, nowMs] = [memories.peek(group), clock.now()];
      if (group.freshness === undefined || memory === undefined) return undefined;
      const turn = { freshness: group.freshness, memory, factor: deps.stretch(group.priority), nowMs };
      return nowMs + waitAfter({ ...turn, waiting: turns.of(membersOf(group), memory, nowMs) });
    },
    close: () => memories.close(clock.now()),
  };
}

function habitsOf(group: Poll, { book, changes, clock }: Pick<GroupDeps, "book" | "changes" | "clock">): Habits {
  const members = membersOf(group);
  const userIds = members.map(({ userId }) => userId);
  const rates = ratesOf(userIds, (userId) => learnedRate(book.get(userId), clock.now()));
  return { rates, hiddenShare: hiddenShare(members, book), otherChangesPerDay: changes.changesOf(group.key) };
}

/** Of these, how many are read from their timelines because no search shows them. */
function hiddenShare(members: readonly GroupMember[], book: ProbeBook): number {
  const hidden = members.filter(({ userId }) => {
    const account = book.get(userId);
    return account !== undefined && account.probe.open === undefined && wayToRead(account.probe) === "timeline";
  });
  return hidden.length / Math.max(members.length, 1);
}
