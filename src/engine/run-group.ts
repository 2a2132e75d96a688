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
import type { Notes } from "../model/store.ts";
import type { WatchStore } from "../model/watch-store.ts";
import { UpstreamError } from "../model/upstream.ts";
import type { User } from "../model/user.ts";
import { type ProbeMemory, probedFields, takeProbe, wayToRead } from "../plan/discharge.ts";
import { baseRate, learnHours, ratesOf } from "../plan/rates.ts";
import { checkEveryMs } from "../plan/strategy.ts";
import { chooseMembers, paceAfter, ridersOf, waitAfter, waitingMembers } from "./group-pace.ts";
import { chooseAgain, type GroupMemory, NOTHING_LEARNED } from "./group-memory.ts";
import { createGroupMembers, type GroupMember, membersOf } from "./group-members.ts";
import { createGroupReadings } from "./group-readings.ts";
import { createGroupReads } from "./group-reads.ts";
import { tasksOf } from "./group-tasks.ts";
import { createLearned } from "./learned.ts";
import type { PollOutcome } from "./poll-outcome.ts";
import { createProbeBook } from "./probe-book.ts";
import type { Profiles } from "./profiles.ts";
import type { RequestGate } from "./request-gate.ts";
import type { RunMember } from "./run-member.ts";
import type { ServiceClock } from "./service-clock.ts";
import type { Poll } from "./watch-poll.ts";

export interface GroupDeps extends RunMember {
  readonly store: Pick<PollStore, "loadSources" | "commitPoll"> & Pick<WatchStore, "loadTargets">;
  readonly notes: Notes;
  readonly gate: RequestGate;
  readonly profiles: Pick<Profiles, "learn" | "recent">;
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
  /** Forgets accounts that are in no group any more. */
  keepOnly(polls: readonly Poll[]): Promise<void>;
  /** Posts a day of an account, where that was learned. */
  rateOf(userId: string): number | undefined;
}

/** An answer this old still says how an account is. */
const JUST_NOW_MS = 60_000;
/** Refusals of the request as such: another way may work where this one does not. */
const REFUSED = new Set(["bad_request", "forbidden", "not_found"]);

export function createGroupRunner(deps: GroupDeps): GroupRunner {
  const { clock, gate, serviceClock } = deps;
  const book = createProbeBook(deps.notes, clock);
  const memories = createLearned<GroupMemory>(deps.store, (stored) => ({ ...NOTHING_LEARNED, ...stored }));
  const readiness = createGroupMembers(deps.store);
  const readings = createGroupReadings(deps);
  const reads = createGroupReads({ ...deps, book, readiness });
  const accountOf = (userId: string) => book.get(userId);

  const rateOf = (userId: string): number | undefined => {
    const rate = book.get(userId)?.rate;
    return rate === undefined || rate.days === 0 ? undefined : baseRate(rate, clock.now());
  };

  /** False when the service refuses such requests. */
  const probe = async (group: Poll, asked: readonly GroupMember[]): Promise<boolean> => {
    const watch = group.subscribers[0]?.watch.id ?? "";
    const request = { endpoint: "info-batch", source: group.key, watch, priority: group.priority, purpose: "poll" } as const;
    const probeOnce = async (chunk: readonly GroupMember[]): Promise<void> => {
      const sentAtMs = clock.now();
      const answer = await gate.request({ ...request, params: { user_ids: chunk.map(({ userId }) => userId) } });
      const users = new Map((answer.users ?? []).map((user) => [user.id, user]));
      deps.profiles.learn([...users.values()]);
      for (const member of chunk) notice(member, users.get(member.userId), sentAtMs);
    };
    try {
      await Promise.all(batchesOf(asked).map(probeOnce));
      return true;
    } catch (error) {
      if (!(error instanceof UpstreamError) || !REFUSED.has(error.kind)) throw error;
      deps.log.warn("accounts could not be probed, searching for their posts instead", { error: error.message });
      return false;
    }
  };

  const notice = ({ poll, userId }: GroupMember, user: User | undefined, atMs: number) => {
    const fields = probedFields(user, poll.subscribers[0]?.type.probeFields ?? []);
    const known = book.get(userId);
    if (known?.probe.fields === null && fields !== null) reads.release(poll.key);
    const probed = known === undefined ? unknownAccount(fields, atMs) : takeProbe(known.probe, fields, atMs);
    const handle = user?.username ?? known?.handle ?? "";
    const rate = known?.rate ?? { posts: 0, days: 0, excited: 0, atMs };
    const isNews = known === undefined || probed.open !== known.probe.open || handle !== known.handle;
    book.put(userId, { probe: probed, rate, handle, checkedAtMs: atMs }, isNews);
  };

  /** Accounts are looked up by their handles first: the same answer is their first probe. */
  const isSeenJustNow = (member: GroupMember): boolean => {
    const seen = book.get(member.userId) === undefined ? deps.profiles.recent(member.userId, JUST_NOW_MS) : undefined;
    if (seen !== undefined) notice(member, seen.user, seen.atMs);
    return seen !== undefined;
  };

  /** Profiles that a watch of profiles asked for in this run. */
  const isReadNow = (member: GroupMember, startedAtMs: number): boolean => {
    const read = deps.profiles.recent(member.userId, clock.now() - startedAtMs);
    if (read !== undefined) notice(member, read.user, startedAtMs);
    return read !== undefined;
  };

  /** By freshness those in turn, by a schedule all; those never probed in any case. */
  const inTurn = (group: Poll, members: readonly GroupMember[], memory: GroupMemory, nowMs: number): readonly GroupMember[] => {
    const unknown = members.filter(({ userId }) => book.get(userId) === undefined);
    const freshness = group.group?.freshness;
    if (freshness !== undefined) {
      const chosen = chooseMembers(waitingMembers(members, accountOf, memory, nowMs), freshness);
      return [...unknown, ...chosen.map(({ member }) => member)];
    }
    return memory.strategy === "probe" || nowMs - memory.probedAtMs >= checkEveryMs(group.intervalMs) ? members : unknown;
  };

  const hiddenShare = (members: readonly GroupMember[]): number => {
    const hidden = members.filter(({ userId }) => {
      const account = book.get(userId);
      return account !== undefined && account.probe.open === undefined && wayToRead(account.probe) === "timeline";
    });
    return hidden.length / Math.max(members.length, 1);
  };

  return {
    async run(group) {
      const startedAtMs = clock.now();
      await book.load();
      const members = membersOf(group);
      const unready = await readiness.unready(members);
      const rates = () =>
        ratesOf(
          members.map(({ userId }) => userId),
          rateOf,
        );
      let memory = chooseAgain(group, await memories.get(group), rates, () => hiddenShare(members), startedAtMs);
      await readings.run(group);
      const seen = new Set(members.filter((member) => isReadNow(member, startedAtMs) || isSeenJustNow(member)));
      const asked = inTurn(group, members, memory, startedAtMs).filter((member) => !seen.has(member));
      const isProbed = asked.length === 0 || (await probe(group, asked));
      if (asked.length + seen.size === members.length) memory = { ...memory, probedAtMs: startedAtMs };

      const nowMs = clock.now();
      const toService = (localMs: number) => serviceClock.fromLocal(localMs);
      const way = isProbed ? memory : { ...memory, strategy: "merge" as const };
      const tasks = tasksOf({
        members,
        unready,
        isHeld: reads.isHeld,
        memory: way,
        accountOf,
        intervalMs: group.intervalMs,
        nowMs,
        toService,
      });
      const freshness = group.group?.freshness;
      const riders =
        freshness === undefined
          ? []
          : ridersOf(tasks, waitingMembers(members, accountOf, memory, nowMs), memory, unready, nowMs, toService);
      const news = await reads.read(group, [...tasks, ...riders], memory.limits, startedAtMs);

      const foundAtMs = serviceClock.now();
      memory = { ...memory, limits: news.limits, profile: learnHours(memory.profile, news.postedMs) };
      let againAtMs: number | undefined;
      if (freshness !== undefined) {
        const waiting = waitingMembers(members, accountOf, memory, clock.now());
        const delaysMs = news.postedMs.map((postedMs) => foundAtMs - postedMs);
        const pace = paceAfter({ freshness, waiting, memory, delaysMs, nowMs: clock.now() });
        memory = { ...memory, pace };
        againAtMs = clock.now() + waitAfter(waiting, pace, freshness, deps.stretch(group.priority));
      }
      memories.put(group, memory);
      await memories.save(group, startedAtMs, clock.now());
      await book.flush();
      return { outcome: news.outcome, ...(againAtMs === undefined ? {} : { againAtMs }) };
    },
    async keepOnly(polls) {
      const userIds = new Set(polls.flatMap((poll) => membersOf(poll)).map(({ userId }) => userId));
      if (userIds.size === 0) return;
      await book.load();
      book.keepOnly(userIds);
    },
    rateOf,
  };
}

/** The last one of plan/'s reads of a change: it goes as deep as the last sweep, and is not repeated. */
const LAST_READ = 6;

/** Never probed: whatever happened since it was last read is looked for once. */
const unknownAccount = (fields: ProbeMemory["fields"], atMs: number): ProbeMemory => ({
  fields: fields as JsonObject | null,
  probedAtMs: atMs,
  fullAtMs: atMs,
  open: { sinceMs: 0, owed: null, reads: LAST_READ, dueMs: atMs },
});
