/**
 * One run of a group of accounts: probe those whose turn it is, read those that moved or are due for a full poll, remember what was
 * learned. Owns the order of these steps; what a change means is plan/'s, what a post means the poll runner's.
 */
import { batchesOf } from "../model/batch.ts";
import type { Clock } from "../model/clock.ts";
import type { JsonObject } from "../model/json.ts";
import type { Log } from "../model/log.ts";
import type { Priority } from "../model/schedule.ts";
import type { PollStore } from "../model/poll-store.ts";
import type { WatchStore } from "../model/watch-store.ts";
import { isRefusal } from "../model/upstream.ts";
import type { User } from "../model/user.ts";
import { allowanceOf, isBlindProbe, type ProbeMemory, probedFields, READS_OF_A_CHANGE, takeProbe, wayToRead } from "../plan/discharge.ts";
import type { Habits } from "../plan/group-polls.ts";
import { learnHours, ratesOf } from "../plan/rates.ts";
import { checkEveryMs } from "../plan/strategy.ts";
import { askerOf } from "./ask.ts";
import type { ChangeBook } from "./change-book.ts";
import { chooseMembers, createTurns, isTooSoon, NOBODYS_TURN, paceAfter, type Turn, waitAfter } from "./group-pace.ts";
import { chooseAgain, type GroupMemory, restoreGroup } from "./group-memory.ts";
import { createGroupMembers, type GroupMember, membersOf } from "./group-members.ts";
import { createGroupReads } from "./group-reads.ts";
import { tasksOf } from "./group-tasks.ts";
import { createLearned } from "./learned.ts";
import type { PollOutcome } from "./poll-outcome.ts";
import { type AccountMemory, learnedRate, type ProbeBook } from "./probe-book.ts";
import { createOnTime } from "./on-time.ts";
import { hardlyOldMs, type SeenProfile } from "./probe-desk.ts";
import type { Profiles } from "./profiles.ts";
import type { RequestGate } from "./request-gate.ts";
import { ridersOf } from "./riders.ts";
import type { RunMember } from "./run-member.ts";
import type { ServiceClock } from "./service-clock.ts";
import type { Poll } from "./watch-poll.ts";

export interface GroupDeps extends RunMember {
  readonly store: Pick<PollStore, "loadSources" | "commitPoll"> & Pick<WatchStore, "loadTargets">;
  readonly book: ProbeBook;
  readonly changes: ChangeBook;
  readonly gate: RequestGate;
  readonly profiles: Pick<Profiles, "ask" | "recent">;
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
  readonly log: Log;
  /** How much slower polls of a priority go while the quota is short. */
  readonly stretch: (priority: Priority) => number;
}

export interface GroupRun {
  readonly outcome: PollOutcome;
  /** When the next probe is worth its request, where freshness says so instead of a schedule; wall time. */
  readonly againAtMs?: number;
}

export interface GroupRunner {
  /** @throws UpstreamError or RequestHeld when nobody could be probed, or a store's error */
  run(group: Poll): Promise<GroupRun>;
  /** Writes what its groups have learned: nothing more comes. */
  close(): Promise<void>;
}

/** An answer this old still says how an account is. */
const JUST_NOW_MS = 60_000;

export function createGroupRunner(deps: GroupDeps): GroupRunner {
  const { clock, serviceClock, book, changes } = deps;
  const memories = createLearned<GroupMemory>(deps.store, restoreGroup);
  const readiness = createGroupMembers(deps.store);
  const reads = createGroupReads({ ...deps, readiness });
  const accountOf = (userId: string) => book.get(userId);
  const turns = createTurns(accountOf);
  const onTime = createOnTime(clock);

  /** `refused`: the service refuses such requests; `blind`: it shows none of the accounts, which are asked for again in their turn. */
  const probe = async (group: Poll, asked: readonly GroupMember[]): Promise<"seen" | "blind" | "refused"> => {
    const userIds = asked.map(({ userId }) => userId);
    try {
      const seen = await deps.profiles.ask(askerOf(group, "poll"), userIds, hardlyOldMs(group.intervalMs));
      const wasShown = ({ userId }: GroupMember) => (book.get(userId)?.probe.fields ?? null) !== null;
      const isBlind = isBlindProbe(asked.map((one) => ({ before: wasShown(one), now: seen.get(one.userId)?.user !== undefined })));
      for (const member of asked) {
        if (isBlind && wasShown(member)) takeTurn(member);
        else notice(member, seen.get(member.userId) ?? { user: undefined, atMs: clock.now() });
      }
      if (isBlind) deps.log.warn("no account was in the answer to a probe, which is taken for none", { accounts: asked.length });
      return isBlind ? "blind" : "seen";
    } catch (error) {
      if (!isRefusal(error)) throw error;
      deps.log.warn("accounts could not be probed, searching for their posts instead", { error: error.message });
      return "refused";
    }
  };

  /** It was asked for, and nothing was learned of it. */
  const takeTurn = ({ userId }: GroupMember) => {
    const account = book.get(userId);
    if (account !== undefined) book.put(userId, { ...account, checkedAtMs: clock.now() }, "nothing");
  };

  const notice = ({ poll, userId }: GroupMember, { user, atMs }: SeenProfile) => {
    const fields = probedFields(user, poll.subscribers[0]?.type.probeFields ?? []);
    const known = book.get(userId);
    if (known?.probe.fields === null && fields !== null) reads.release(poll.key);
    const probed = known === undefined ? unknownAccount(fields, atMs) : takeProbe(known.probe, fields, atMs);
    const handle = user?.username ?? known?.handle ?? "";
    const rate = known?.rate ?? { posts: 0, days: 0, excited: 0, atMs };
    const isNews = known === undefined || probed.open !== known.probe.open || probed.ahead !== known.probe.ahead;
    const worth = isNews ? "now" : handle === known.handle ? "nothing" : "later";
    const checkedAtMs = Math.max(atMs, Math.min(known?.checkedAtMs ?? 0, clock.now()));
    book.put(userId, { ...known, probe: probed, rate, handle, checkedAtMs }, worth);
  };

  /** Accounts are looked up by their handles first: the same answer is their first probe. */
  const isSeenJustNow = (member: GroupMember): boolean => {
    const seen = deps.profiles.recent(member.userId, JUST_NOW_MS);
    if (seen !== undefined) notice(member, seen);
    return seen !== undefined;
  };

  /** What others asked for since an account was last probed: a probe that costs nothing. */
  const isSeenByOthers = (member: GroupMember): boolean => {
    const account = book.get(member.userId);
    const seen = account === undefined ? undefined : deps.profiles.recent(member.userId, clock.now() - account.checkedAtMs);
    if (account === undefined || seen === undefined || seen.atMs <= account.checkedAtMs || seen.atMs > clock.now()) return false;
    notice(member, seen);
    return true;
  };

  /** A search asks for accounts by their handles: what others saw under another one is a probe, too. */
  const takeNewHandle = (member: GroupMember): void => {
    const account = book.get(member.userId);
    const seen = deps.profiles.recent(member.userId, clock.now() - (account?.probe.probedAtMs ?? clock.now()));
    if (account !== undefined && seen !== undefined && hasNewHandle(account, seen, clock.now())) notice(member, seen);
  };

  /** Of those probed before: by freshness those in turn, by a schedule all. */
  const inTurn = (
    group: Poll,
    members: readonly GroupMember[],
    memory: GroupMemory,
    nowMs: number,
    onTimeMs: number,
  ): Turn<GroupMember> => {
    const { freshness } = group;
    if (freshness !== undefined) {
      const isHelped = members.filter(isSeenByOthers).length > 0;
      const turn = { waiting: turns.of(members, memory, nowMs), freshness, memory, factor: deps.stretch(group.priority), nowMs };
      return isHelped && isTooSoon(turn) ? NOBODYS_TURN : chooseMembers(turn, onTimeMs);
    }
    // After a clock that was set back, too.
    const isDue = memory.strategy === "probe" || Math.abs(nowMs - memory.probedAtMs) >= checkEveryMs(group.intervalMs);
    if (!isDue) members.forEach(takeNewHandle);
    return isDue ? { ...NOBODYS_TURN, all: members } : NOBODYS_TURN;
  };

  return {
    async run(group) {
      const startedAtMs = clock.now();
      await Promise.all([book.load(), changes.load()]);
      const onTimeSinceMs = group.freshness === undefined ? 0 : onTime.begin(group.key, group.intervalMs);
      const members = membersOf(group);
      const unready = await readiness.unready(members);
      let memory = chooseAgain(group, await memories.get(group), () => habitsOf(group, deps), startedAtMs);
      const unknown = members.filter(({ userId }) => book.get(userId) === undefined);
      const others = inTurn(group, members, memory, startedAtMs, startedAtMs - onTimeSinceMs);
      const seen = new Set(unknown.filter(isSeenJustNow));
      const asked = [...new Set([...unknown, ...others.all])].filter((member) => !seen.has(member));
      const answer = await probe(group, asked);
      await book.flush();
      if (asked.length + seen.size === members.length) memory = { ...memory, probedAtMs: startedAtMs };

      const freshness = group.freshness;
      const nowMs = clock.now();
      const toService = (localMs: number) => serviceClock.fromLocal(localMs);
      const way = answer === "refused" ? { ...memory, strategy: "merge" as const } : memory;
      const base = { unready, accountOf, intervalMs: group.intervalMs, nowMs, toService };
      const patienceMs = freshness === undefined ? 0 : group.intervalMs;
      const pace = freshness?.kind === "mean" ? memory.pace : undefined;
      const allowance = allowanceOf(pace?.worth ?? 0, startedAtMs - (pace?.atMs ?? startedAtMs));
      const tasks = tasksOf({ ...base, members, isHeld: reads.isHeld, memory: way, patienceMs, allowance });
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
        memory = { ...memory, ...paceAfter({ ...after, awaited, delaysMs: news.delaysMs, startedAtMs, nowMs: clock.now() }) };
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

const hasNewHandle = ({ probe, handle }: AccountMemory, { user, atMs }: { user: User; atMs: number }, nowMs: number): boolean =>
  user.username !== handle && atMs > probe.probedAtMs && atMs <= nowMs;

/** The last one of plan/'s reads of a change: it is not repeated. */
const LAST_READ = READS_OF_A_CHANGE - 1;

/** Never probed: whatever happened since it was last read is looked for once, on its timeline. */
const unknownAccount = (fields: ProbeMemory["fields"], atMs: number): ProbeMemory => ({
  fields: fields as JsonObject | null,
  probedAtMs: atMs,
  fullAtMs: atMs,
  open: { sinceMs: 0, owed: null, reads: LAST_READ, dueMs: atMs },
});
